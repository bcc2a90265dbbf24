//! Which arguments the server did not take. It tells the column, the function or the value, and the statement which arguments
//! go there.

use std::future::Future;

use toolbox_source::{
    SourceError,
    scan::{Lexicon, TokenKind, Tokens},
};

use super::{
    Failure, Running, State,
    suspects::{Suspect, in_calls},
};
use crate::{
    bind::Argument,
    cancel::Killer,
    connect::Connection,
    error::{Kind, Rejected, Subject},
    plan::{Place, limits, places},
};

impl<H: Future<Output = SourceError>> Running<'_, H> {
    /// The places of the arguments that the refused value may be, or is made of; none where that cannot be told.
    pub(super) async fn blamed(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
        rejected: &Rejected,
    ) -> Result<Vec<usize>, Failure> {
        match &rejected.subject {
            Subject::Column(name) => {
                let mut found =
                    self.filling(connection, killer, state, rejected, std::slice::from_ref(name)).await?;
                if found.is_empty() {
                    found = self.passed(connection, killer, state, rejected, name).await?;
                }
                if !found.is_empty() {
                    return Ok(self.narrowed(found, rejected));
                }
                let shown = self.shown(rejected);
                if !shown.is_empty() {
                    return Ok(shown);
                }
                self.elsewhere(connection, killer, state, rejected, name).await
            }
            Subject::Columns(names) => self.constrained(connection, killer, state, rejected, names).await,
            Subject::Key(key) => {
                let names = self.columns_of_key(connection, killer, state, key).await?;
                // Of several columns the server shows the values joined.
                let value = rejected.value.clone().filter(|_| names.len() == 1);
                let rejected = Rejected { value, ..rejected.clone() };
                self.constrained(connection, killer, state, &rejected, &names).await
            }
            Subject::Check(constraint) => {
                let names = self.columns_of_check(connection, killer, state, constraint).await?;
                self.constrained(connection, killer, state, rejected, &names).await
            }
            Subject::Function(name, item) => {
                let shown = self.shown(rejected);
                if !shown.is_empty() {
                    return Ok(shown);
                }
                // The server has some of its own, such as that of a cast.
                let Some(inside) = in_calls(&self.call.plan.text, name, *item) else {
                    return Ok(self.computed(rejected));
                };
                Ok(self.suspected(rejected).filter(|index| inside.contains(index)).collect())
            }
            Subject::Expression(text) => {
                let words: Vec<&str> = Tokens::new(text, &Lexicon::MYSQL).map(|token| token.text).collect();
                // MySQL shows a placeholder in the place of an argument, and MariaDB its value.
                let is_in = |argument: &Argument| {
                    let digits = argument.text();
                    let digits = digits.as_deref().map(|digits| digits.trim_start_matches('-'));
                    words.contains(&"?") || digits.is_some_and(|digits| words.contains(&digits))
                };
                let mut found = self.computed(rejected);
                found.retain(|index| self.sent_arguments.get(*index).is_some_and(is_in));
                Ok(found)
            }
            Subject::Unknown if rejected.kind == Kind::Shapeless => {
                self.shapeless(connection, killer, state).await
            }
            Subject::Unknown if rejected.kind == Kind::Foreign => Ok(self.suspected(rejected).collect()),
            Subject::Unknown if rejected.value.is_some() => Ok(self.shown(rejected)),
            Subject::Unknown => Ok(self.computed(rejected)),
        }
    }

    /// The arguments that the server may mean by their values.
    fn suspected(&self, rejected: &Rejected) -> impl Iterator<Item = usize> {
        let arguments = self.sent_arguments.iter().enumerate();
        arguments.filter(|(_, argument)| rejected.kind.is_of(argument)).map(|(index, _)| index)
    }

    /// Those whose value the server shows, unless the statement has it too.
    fn shown(&self, rejected: &Rejected) -> Vec<usize> {
        let is_own = Tokens::new(&self.call.plan.text, &Lexicon::MYSQL).any(|token| match token.kind {
            TokenKind::Text => token.name().is_some_and(|text| rejected.is_value(&text)),
            TokenKind::Number => rejected.is_value(token.text),
            _ => false,
        });
        if is_own {
            return Vec::new();
        }
        self.suspected(rejected).filter(|index| self.is_shown(*index, rejected)).collect()
    }

    fn is_shown(&self, index: usize, rejected: &Rejected) -> bool {
        let text = self.sent_arguments.get(index).and_then(Argument::text);
        text.is_some_and(|text| rejected.is_value(&text))
    }

    /// Those with which the statement does something: it neither stores them as they are nor compares them.
    pub(super) fn computed(&self, rejected: &Rejected) -> Vec<usize> {
        let text = &self.call.plan.text;
        let (places, limits) = (places(text), limits(text));
        let is_computed = |index: &usize| {
            places.get(*index).is_some_and(|place| *place != Place::Whole) && !limits.contains(index)
        };
        self.suspected(rejected).filter(is_computed).collect()
    }

    /// Of those that stand where the value comes from, the ones that it can be.
    fn narrowed(&self, mut suspects: Vec<Suspect>, rejected: &Rejected) -> Vec<usize> {
        let places = places(&self.call.plan.text);
        let place = |suspect: &Suspect| places.get(suspect.index).copied();
        // Those in conditions are no part of the value.
        let is_part = |suspect: &Suspect| {
            suspect.is_value || !matches!(place(suspect), Some(Place::Whole | Place::ChosenToCompare))
        };
        let is_refused = |suspect: &Suspect| suspect.is_refused == Some(true);
        let has_parts = suspects.iter().any(is_part);
        suspects.retain(|suspect| if has_parts { is_part(suspect) } else { is_refused(suspect) });
        let is_shown = |suspect: &Suspect| self.is_shown(suspect.index, rejected);
        if suspects.iter().any(is_shown) {
            suspects.retain(is_shown);
        } else if let Some(value) = &rejected.value {
            // The server shows some as it has read them. What is made of a value may still have its text.
            let text = |suspect: &Suspect| self.sent_arguments.get(suspect.index).and_then(Argument::text);
            let is_in = |text: &str| !text.is_empty() && value.contains(text);
            suspects.retain(|suspect| suspect.is_value || text(suspect).is_some_and(|text| is_in(&text)));
        } else if suspects.iter().any(is_refused) {
            suspects.retain(is_refused);
        } else if rejected.kind != Kind::Null {
            // Of several values of which the answer is one, it is another one, and where one is made of an argument, too.
            let fits = |suspect: &Suspect| suspect.is_refused == Some(false);
            let is_made = |suspect: &Suspect| !suspect.is_value && place(suspect) != Some(Place::Chosen);
            let has_made = suspects.iter().any(is_made);
            suspects.retain(|suspect| is_made(suspect) || !fits(suspect) || suspect.is_value && !has_made);
        }
        suspects.into_iter().map(|suspect| suspect.index).collect()
    }

    /// Those that go into columns of which a constraint does not hold.
    async fn constrained(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
        rejected: &Rejected,
        names: &[String],
    ) -> Result<Vec<usize>, Failure> {
        let mut found = self.filling(connection, killer, state, rejected, names).await?;
        for suspect in &mut found {
            suspect.is_refused = None;
        }
        Ok(self.narrowed(found, rejected))
    }
}
