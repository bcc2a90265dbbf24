//! Checks a configured statement: one statement, as many placeholders as parameters, none of them for a name, and no write
//! where only reading is allowed. What its SQL means is the database's business.

mod name;

use toolbox_source::scan::{self, Lexicon, PlaceholderStyle, Scan};

use super::{ToolKind, parameters::Parameters};
use crate::{
    config::{
        diagnostic::Report,
        fields::{self, Fields},
        node::Node,
    },
    tool::template::{Template, TemplateFault},
};

/// Reads `statement` and checks it against the parameters.
pub(super) fn read(
    lexicon: Lexicon,
    parameters: Parameters,
    only_reads: bool,
    fields: &mut Fields<'_>,
    report: &mut Report,
) -> Option<ToolKind> {
    let node = fields.required_node("statement", report)?;
    let text = fields::text(node, &fields.name("statement"), report)?;
    let names: Vec<&str> = parameters.template_names.iter().map(String::as_str).collect();
    let statement = match Template::parse(&text, &names) {
        Ok(statement) => statement,
        Err(fault) => {
            template_fault(node, &fault, &names, fields, report);
            return None;
        }
    };
    if !statement.has_actions() {
        let check = Check { node, text: &text, lexicon, owner: fields.owner() };
        check.one_statement(&parameters, only_reads, report);
    }
    parameters.complete.then_some(ToolKind::Statement {
        statement,
        parameters: parameters.bound,
        template_parameters: parameters.template,
    })
}

/// Reports why a statement is no template. The fault of the text with references in place of values is shown, so that
/// no value is.
fn template_fault(
    node: &Node,
    fault: &TemplateFault,
    names: &[&str],
    fields: &Fields<'_>,
    report: &mut Report,
) {
    let Some(scalar) = node.scalar() else { return };
    let shown = match (&scalar.referring, scalar.variables.first()) {
        (Some(referring), Some(variable)) => Template::parse(referring, names).err().unwrap_or_else(|| {
            TemplateFault { message: format!("the value of ${{{variable}}} is no template"), position: None }
        }),
        _ => fault.clone(),
    };
    let place = fault.position.filter(|_| scalar.variables.is_empty()).and_then(|(line, column)| {
        let before: usize = scalar.text.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum();
        let rest = scalar.text.get(before..)?;
        let column: usize = rest.chars().take(column.checked_sub(1)?).map(char::len_utf8).sum();
        node.place_of(before + column)
    });
    report.fault(
        &place.unwrap_or_else(|| node.place.clone()),
        format!("{}: {}", fields.name("statement"), shown.message),
        "a statement that holds `{{` is a template in the language of Go, with the `templateParameters` as its data",
    );
}

struct Check<'s> {
    node: &'s Node,
    text: &'s str,
    lexicon: Lexicon,
    owner: &'s str,
}

impl Check<'_> {
    fn one_statement(&self, parameters: &Parameters, only_reads: bool, report: &mut Report) {
        let scan = scan::scan(self.text, &self.lexicon);
        if scan.unterminated {
            self.fault(
                None,
                "ends inside a string, a quoted name or a comment",
                "close it; a quote inside a string is written twice",
                report,
            );
            return;
        }
        if scan.end == 0 {
            self.fault(None, "says nothing but blanks and comments", "write one SQL statement", report);
            return;
        }
        if let Some(second) = scan.second_statement {
            self.fault(
                Some(second),
                "holds a second statement",
                "write one statement a tool; a tool runs one statement only",
                report,
            );
        }
        self.placeholders(&scan, parameters, report);
        if let Some(misplaced) = name::misplaced(self.text, &self.lexicon) {
            self.fault(
                Some(misplaced.start),
                &format!("has a placeholder after {}, where only a name can stand", misplaced.after.to_uppercase()),
                "a placeholder stands for a value; take a name from `templateParameters`, with `allowedValues`",
                report,
            );
        }
        if only_reads && !scan.reads() {
            self.fault(
                None,
                &format!("may write (`{}`), and the tool or its source is read-only", verb(&scan)),
                "write a statement that only reads, or remove `readOnly: true`",
                report,
            );
        }
    }

    fn placeholders(&self, scan: &Scan, parameters: &Parameters, report: &mut Report) {
        let style = match self.lexicon.placeholders {
            PlaceholderStyle::Dollar => "`$1`, `$2`",
            PlaceholderStyle::Question => "`?`",
            PlaceholderStyle::QuestionOrNumbered => "`?` or `?1`",
        };
        if let Some(name) = &scan.named_placeholder {
            // A name that came from a variable stays out of the report.
            let shown = self.node.scalar().is_some_and(|scalar| scalar.shown().contains(name.as_str()));
            let named = if shown { format!(" `{name}`") } else { String::new() };
            self.fault(
                self.only_occurrence(name),
                &format!("has the named placeholder{named}, and parameters are bound by their order"),
                &format!("write {style} in the order of `parameters`"),
                report,
            );
            return;
        }
        let declared = parameters.bound_written;
        if scan.placeholders != declared {
            self.fault(
                None,
                &format!(
                    "has {}, and the tool has {}",
                    counted(scan.placeholders, "placeholder"),
                    counted(declared, "parameter")
                ),
                &format!("declare one parameter for each placeholder; placeholders are written {style}"),
                report,
            );
        }
    }

    fn fault(&self, at: Option<usize>, what: &str, help: &str, report: &mut Report) {
        let place = at.and_then(|at| self.node.place_of(at)).unwrap_or_else(|| self.node.place.clone());
        report.fault(&place, format!("the statement of {} {what}", self.owner), help);
    }

    /// The offset of a text that occurs once.
    fn only_occurrence(&self, name: &str) -> Option<usize> {
        let first = self.text.find(name)?;
        (self.text.rfind(name) == Some(first)).then_some(first)
    }
}

/// The verb of a statement, as far as it says why the statement may write.
fn verb(scan: &Scan) -> String {
    if scan.first == scan.verb { scan.verb.clone() } else { format!("{} … {}", scan.first, scan.verb) }
}

fn counted(count: usize, what: &str) -> String {
    match count {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        more => format!("{more} {what}s"),
    }
}
