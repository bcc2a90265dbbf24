//! The forms in which arguments are sent, and the text of a statement that takes them so.

use std::sync::Arc;

use toolbox_source::scan::{Lexicon, TokenKind, Tokens};

use super::look::{Look, stays_text};
use crate::{bind::Argument, plan::Place};

/// The form in which one argument is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A null that leaves everything around it as it is, so that it fits any form.
    AnyNull,
    /// A null on which the type of what stands around it depends.
    Null,
    /// A null that stands in the text.
    WrittenNull,
    /// A truth that stands in the text: as an argument it is a number, which JSON tells from a truth.
    WrittenTruth(bool),
    Int,
    UInt,
    Float,
    Decimal,
    Text(Look),
    Bytes,
    /// In a cast, which gives it the type that it has as a literal.
    Cast(Cast),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cast {
    Signed,
    Unsigned,
    Decimal {
        digits: usize,
        scale: usize,
    },
    Double,
    /// A text that stays one. As a literal, it takes the collation of what stands beside it, which it would
    /// not do in a cast to `CHAR`.
    Text,
}

/// The forms of some arguments at places where the server settles types before it sees them.
pub(super) fn settled(arguments: &[Argument], places: &[Place]) -> Arc<[Form]> {
    let places = places.iter().copied().chain(std::iter::repeat(Place::Other));
    arguments.iter().zip(places).map(|(argument, place)| Form::at(argument, place)).collect()
}

/// The forms of some arguments where the server looks at each of them anew. As times, it keeps no fractions of seconds of those.
pub(super) fn unsettled(arguments: &[Argument], places: &[Place], null: Form) -> Arc<[Form]> {
    let places = places.iter().copied().chain(std::iter::repeat(Place::Other));
    let form = |(argument, place): (&Argument, Place)| match argument {
        Argument::Null => null,
        Argument::Text(text) if place == Place::Read && text.contains('.') => Form::Cast(Cast::Text),
        Argument::Text(_) => Form::Text(Look::Text),
        Argument::Decimal(_) if place == Place::Read => Form::at(argument, place),
        other => Form::at(other, Place::Whole),
    };
    arguments.iter().zip(places).map(form).collect()
}

impl Form {
    fn at(argument: &Argument, place: Place) -> Self {
        let is_computed = !matches!(place, Place::Whole | Place::Other | Place::Item);
        match argument {
            Argument::Bool(truth) => Self::WrittenTruth(*truth),
            Argument::UInt(_) if place == Place::Read => Self::Cast(Cast::Unsigned),
            Argument::Null if place == Place::Whole => Self::AnyNull,
            // As an argument it has a type, which all that stands with it in a UNION gets, or a choice.
            Argument::Null if place != Place::Other => Self::WrittenNull,
            Argument::Null => Self::Null,
            // As a literal it is no integer, or its negative is none.
            Argument::Int(i64::MIN) | Argument::UInt(_) if is_computed && place != Place::Read => {
                Self::Cast(Cast::Decimal { digits: 20, scale: 0 })
            }
            Argument::Int(_) if is_computed => Self::Cast(Cast::Signed),
            Argument::Int(_) => Self::Int,
            Argument::UInt(_) => Self::UInt,
            Argument::Float(_) if place == Place::Whole => Self::Float,
            // Where the server wants integers, it makes one of it that may have another sign.
            Argument::Float(_) => Self::Cast(Cast::Double),
            Argument::Decimal(_) if place == Place::Whole => Self::Decimal,
            // Alone it has 30 digits behind the point, and so has all that stands with it in a UNION or in a derived table.
            Argument::Decimal(digits) => Self::Cast(Cast::of_decimal(digits)),
            Argument::Text(text) if stays_text(text, place) => Self::Cast(Cast::Text),
            Argument::Text(text) => Self::Text(Look::of(text)),
            Argument::Bytes(_) => Self::Bytes,
        }
    }

    /// Whether the argument is sent, and does not stand in the text.
    pub(crate) fn is_sent(self) -> bool {
        !matches!(self, Self::WrittenNull | Self::WrittenTruth(_))
    }

    /// Whether a statement that was prepared for this form takes an argument of the other one.
    pub(super) fn takes(self, other: Self) -> bool {
        self == other || other == Self::AnyNull && self.is_sent()
    }

    /// What stands for the argument in the text, if it is no placeholder.
    fn written(self, with_casts: bool) -> Option<String> {
        match self {
            Self::WrittenNull => Some("NULL".to_owned()),
            Self::WrittenTruth(truth) => Some(if truth { "TRUE" } else { "FALSE" }.to_owned()),
            Self::Cast(cast) if with_casts => Some(match cast {
                Cast::Signed => "CAST(? AS SIGNED)".to_owned(),
                Cast::Decimal { digits, scale } => format!("CAST(? AS DECIMAL({digits}, {scale}))"),
                Cast::Unsigned => "CAST(? AS UNSIGNED)".to_owned(),
                Cast::Double => "CAST(? AS DOUBLE)".to_owned(),
                Cast::Text => "CONCAT(?)".to_owned(),
            }),
            _ => None,
        }
    }

    fn blanks(self) -> &'static str {
        match self {
            Self::AnyNull | Self::Null | Self::WrittenNull => "\n\n",
            Self::Int | Self::Cast(Cast::Signed) | Self::WrittenTruth(_) => "  ",
            Self::UInt | Self::Cast(Cast::Unsigned) => " \t",
            Self::Float | Self::Cast(Cast::Double) => "\t ",
            Self::Decimal | Self::Cast(Cast::Decimal { .. }) => "\t\t",
            Self::Bytes => "\n ",
            Self::Text(Look::Text) | Self::Cast(Cast::Text) => " \n",
            Self::Text(Look::Digits) => "\t\n",
            Self::Text(Look::LongDigits) => "\n\t",
            Self::Text(Look::HugeDigits) => " \r",
            Self::Text(Look::Negative) => "\r ",
            Self::Text(Look::Fraction) => "\t\r",
            Self::Text(Look::Day) => "\r\t",
            Self::Text(Look::Clock) => "\n\r",
            Self::Text(Look::Moment) => "\r\n",
        }
    }
}

impl Cast {
    /// The scale is that of the digits, as it is of a literal. How many digits stand before the point is rounded up, so that
    /// amounts of money have few forms.
    fn of_decimal(digits: &str) -> Self {
        /// Most digits of a `DECIMAL`.
        const MOST: usize = 65;
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let whole = whole.trim_start_matches(['-', '0']).len().max(1);
        let rounded = whole.next_multiple_of(9) + fraction.len();
        let digits = if rounded <= MOST { rounded } else { whole + fraction.len() };
        Self::Decimal { digits: digits.min(MOST), scale: fraction.len() }
    }
}

/// The text of a statement that takes arguments in these forms.
pub(crate) fn text(statement: &Arc<str>, forms: &[Form], with_casts: bool) -> Arc<str> {
    if forms.is_empty() {
        return statement.clone();
    }
    let mut out = String::with_capacity(statement.len() + 24 * forms.len());
    let mut end = 0;
    if forms.iter().any(|form| form.written(with_casts).is_some()) {
        let is_argument = |kind: TokenKind| matches!(kind, TokenKind::Placeholder(_));
        let arguments = Tokens::new(statement, &Lexicon::MYSQL).filter(|token| is_argument(token.kind));
        for (token, form) in arguments.zip(forms) {
            let Some(written) = form.written(with_casts) else { continue };
            out.push_str(statement.get(end..token.start).unwrap_or_default());
            // `?IS NULL` needs no blank.
            out.push(' ');
            out.push_str(&written);
            out.push(' ');
            end = token.end();
        }
    }
    out.push_str(statement.get(end..).unwrap_or_default());
    out.extend(forms.iter().map(|form| form.blanks()));
    out.into()
}

/// The text of a statement as it was written, with blanks of its own.
pub(crate) fn as_written(statement: &Arc<str>, forms: &[Form]) -> Arc<str> {
    let sent = |form: &Form| match form {
        Form::WrittenNull => Form::Null,
        Form::WrittenTruth(_) => Form::Int,
        form => *form,
    };
    let forms: Vec<Form> = forms.iter().map(sent).collect();
    text(statement, &forms, false)
}

/// Whether a column may be called by what stands in the place of an argument.
pub(crate) fn may_be_renamed(name: &str) -> bool {
    /// From here on the servers may cut a name.
    const LONG: usize = 190;
    name.len() > LONG
        || name.contains("CAST(?")
        || name.contains("TRUE")
        || name.contains("FALSE")
        || name.contains("CONCAT(?)")
        || name.contains("NULL")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Cast, Form, settled, text, unsettled};
    use crate::{bind::Argument, plan::Place};

    #[test]
    fn nulls_stand_in_their_places() {
        let arguments = [Argument::Null, Argument::Int(1), Argument::Null];
        let forms = unsettled(&arguments, &[], Form::WrittenNull);
        let statement = Arc::from("SELECT '?', ?, ? /* ? */ FROM t WHERE ?IS NULL");
        let expected = "SELECT '?',  NULL , ? /* ? */ FROM t WHERE  NULL IS NULL";
        assert_eq!(text(&statement, &forms, true).trim_end(), expected);
        let others = text(&statement, &unsettled(&arguments, &[], Form::AnyNull), true);
        assert_eq!(others.trim_end(), statement.as_ref());
    }

    #[test]
    fn numbers_are_cast_to_what_they_are_as_literals() {
        let words = |text: &str| Argument::Text(text.to_owned());
        let arguments = [
            Argument::Int(-1),
            Argument::UInt(u64::MAX),
            Argument::Decimal("-1234567890.10".to_owned()),
            Argument::Decimal("0.5".to_owned()),
            Argument::Float(0.5),
            Argument::Int(7),
            words("x"),
            words("{}"),
            words("10:00"),
            words("10:00"),
            words("12"),
            words("9007199254740993"),
            words("x"),
        ];
        let compared = Place::ChosenToCompare;
        let (chosen, computed) = (Place::Chosen, Place::Computed);
        let places = [
            computed, computed, computed, chosen, chosen, chosen, chosen, chosen, chosen, compared, compared,
            compared, computed,
        ];
        let forms = settled(&arguments, &places);
        let statement = Arc::from("SELECT -?, a(?,?,?,?,?,?,?,?,?,?,?,?)");
        for (with_casts, expected) in [
            (
                true,
                "SELECT - CAST(? AS SIGNED) , a( CAST(? AS DECIMAL(20, 0)) , CAST(? AS DECIMAL(20, 2)) , \
                 CAST(? AS DECIMAL(10, 1)) , CAST(? AS DOUBLE) , CAST(? AS SIGNED) , CONCAT(?) ,?, CONCAT(?) ,?, CONCAT(?) ,?, CONCAT(?) )",
            ),
            (false, "SELECT -?, a(?,?,?,?,?,?,?,?,?,?,?,?)"),
        ] {
            assert_eq!(text(&statement, &forms, with_casts).trim_end(), expected);
        }
        let wide = format!("{}.{}", "9".repeat(60), "1".repeat(5));
        for (digits, expected) in
            [("0.5", (10, 1)), ("-1.10", (11, 2)), ("5.", (9, 0)), ("007", (9, 0)), (wide.as_str(), (65, 5))]
        {
            let (digits, expected) =
                (Cast::of_decimal(digits), Cast::Decimal { digits: expected.0, scale: expected.1 });
            assert_eq!(digits, expected);
        }
    }

    #[test]
    fn each_combination_of_forms_has_a_text_of_its_own() {
        let texts = [
            "x",
            "1",
            "123456789012",
            "1234567890123456789",
            "-1",
            "1.5",
            "2024-01-02",
            "1:2",
            "2024-01-02 1:2",
        ];
        let mut kinds = vec![
            Argument::Int(1),
            Argument::UInt(u64::MAX),
            Argument::Float(0.5),
            Argument::Decimal("1.0".to_owned()),
            Argument::Bytes(vec![0]),
            Argument::Null,
        ];
        kinds.extend(texts.map(|text| Argument::Text(text.to_owned())));
        let statement: Arc<str> = Arc::from("SELECT ?, ?");
        let mut texts = Vec::new();
        for one in &kinds {
            for other in &kinds {
                let forms = settled(&[one.clone(), other.clone()], &[Place::Whole; 2]);
                texts.push(text(&statement, &forms, true));
            }
        }
        assert!(texts.iter().all(|form| form.trim_end() == statement.as_ref()));
        texts.sort();
        texts.dedup();
        assert_eq!(texts.len(), kinds.len() * kinds.len());
    }
}
