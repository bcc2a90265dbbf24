//! Template actions in a statement: the language of Go's text/template, through the crate gotmpl, with the peer's
//! function `array`.
//!
//! What a template renders becomes SQL text, so only `templateParameters` reach it. It knows nothing of databases.

use std::{collections::BTreeMap, fmt, sync::Arc};

use gotmpl::{
    MissingKey, TemplateError, Value as Datum,
    parse::{CommandNode, Expr, ListNode, Node, PipeNode, Pos},
};
use regex::Regex;
use toolbox_source::Value;

/// The functions that a template may call: those of text/template, and `array`.
const FUNCTIONS: [&str; 20] = [
    "and", "array", "call", "eq", "ge", "gt", "html", "index", "js", "le", "len", "lt", "ne", "not", "or",
    "print", "printf", "println", "slice", "urlquery",
];

/// The name under which a statement is parsed; it reaches no message.
const NAME: &str = "statement";

/// A statement, parsed once.
pub struct Template {
    text: Arc<str>,
    actions: Option<Box<gotmpl::Template>>,
}

/// What is wrong with a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateFault {
    /// What is wrong and what to do.
    pub message: String,
    /// Where in the statement: line and column, both from 1, where known.
    pub position: Option<(usize, usize)>,
}

impl fmt::Display for TemplateFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Some((line, _)) => write!(formatter, "line {line} of the statement: {}", self.message),
            None => formatter.write_str(&self.message),
        }
    }
}

impl std::error::Error for TemplateFault {}

impl Template {
    /// Parses a statement whose template parameters have these names. A text without `{{` is taken as it is.
    ///
    /// # Errors
    ///
    /// A syntax error, an unknown function, or a field that no template parameter declares.
    pub fn parse(statement: &str, parameters: &[&str]) -> Result<Self, TemplateFault> {
        if !statement.contains("{{") {
            return Ok(Self { text: statement.into(), actions: None });
        }
        let template = gotmpl::Template::new(NAME)
            .missing_key(MissingKey::Error)
            .func("array", array)
            .parse(statement)
            .map_err(|error| syntax(&error))?;
        balanced(statement)?;
        let check = Check { statement, parameters };
        for name in template.templates() {
            // The body of a `define` gets the dot that its caller passes, so only `$`-free text is checked there.
            if let Some(tree) = template.lookup(name) {
                check.list(tree, name == NAME)?;
            }
        }
        Ok(Self { text: statement.into(), actions: Some(Box::new(template)) })
    }

    /// Whether the statement has template actions, so that its text is known only when it is called.
    #[must_use]
    pub fn has_actions(&self) -> bool {
        self.actions.is_some()
    }

    /// The statement as written.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The statement that runs. An absent value renders empty.
    ///
    /// # Errors
    ///
    /// What the template says at run time: a value of a kind that a function does not take.
    pub fn render(&self, values: &[(&str, Value)]) -> Result<Arc<str>, TemplateFault> {
        let Some(template) = &self.actions else {
            return Ok(self.text.clone());
        };
        let data: BTreeMap<Arc<str>, Datum> =
            values.iter().map(|(name, value)| (Arc::from(*name), datum(value))).collect();
        let text =
            template.execute_to_string(&Datum::Map(Arc::new(data))).map_err(|error| TemplateFault {
                message: format!("the statement's template cannot be rendered: {error}"),
                position: None,
            })?;
        Ok(text.into())
    }
}

/// The parsed actions are the text again, so the text is enough.
impl fmt::Debug for Template {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Template").field(&self.text).finish()
    }
}

/// A value as template data. What is absent is an empty text, which is also false in `if`.
fn datum(value: &Value) -> Datum {
    match value {
        Value::Null => Datum::String("".into()),
        Value::Bool(value) => Datum::Bool(*value),
        Value::Int(value) => Datum::Int(*value),
        Value::UInt(value) => Datum::Uint(*value),
        Value::Float(value) => Datum::Float(*value),
        Value::Decimal(text) | Value::Text(text) | Value::Json(text) => Datum::String(text.as_str().into()),
        Value::Bytes(bytes) => Datum::String(String::from_utf8_lossy(bytes).into()),
        Value::Array(items) => Datum::List(items.iter().map(datum).collect()),
        Value::Object(fields) => Datum::Map(Arc::new(
            fields.iter().map(|(name, value)| (Arc::from(name.as_str()), datum(value))).collect(),
        )),
    }
}

/// The peer's function `array`: the items of a list, joined by a comma and a blank.
fn array(arguments: &[Datum]) -> gotmpl::Result<Datum> {
    let [argument] = arguments else {
        return Err(TemplateError::Exec(format!("array takes one list, not {} values", arguments.len())));
    };
    match argument {
        Datum::List(items) => {
            let items: Vec<String> = items.iter().map(Datum::to_string).collect();
            Ok(Datum::String(items.join(", ").into()))
        }
        Datum::String(text) if text.is_empty() => Ok(Datum::String("".into())),
        _ => Err(TemplateError::Exec("array takes a list".to_owned())),
    }
}

fn syntax(error: &TemplateError) -> TemplateFault {
    match error {
        TemplateError::Parse { line, col, message, .. } | TemplateError::Lex { line, col, message, .. } => {
            TemplateFault { message: format!("template syntax: {message}"), position: Some((*line, *col)) }
        }
        other => TemplateFault { message: format!("template syntax: {other}"), position: None },
    }
}

/// The crate takes neither a missing nor a spare `{{end}}` for an error, so both are counted here.
fn balanced(statement: &str) -> Result<(), TemplateFault> {
    let count = |pattern: &str| Regex::new(pattern).map_or(0, |pattern| pattern.find_iter(statement).count());
    let blocks = count(r"\{\{(- )?\s*(if|range|with|define|block)\b");
    let ends = count(r"\{\{(- )?\s*end\s*( -)?\}\}");
    if blocks == ends {
        return Ok(());
    }
    Err(TemplateFault {
        message: format!(
            "template syntax: {blocks} blocks (if, range, with, define, block) but {ends} {{{{end}}}}"
        ),
        position: None,
    })
}

/// Walks a parsed template and refuses what could only fail, or render nothing, when called.
struct Check<'a> {
    statement: &'a str,
    parameters: &'a [&'a str],
}

impl Check<'_> {
    /// `root` says whether the dot is the map of template parameters here.
    fn list(&self, list: &ListNode, root: bool) -> Result<(), TemplateFault> {
        list.nodes.iter().try_for_each(|node| self.node(node, root))
    }

    fn node(&self, node: &Node, root: bool) -> Result<(), TemplateFault> {
        match node {
            Node::List(list) => self.list(list, root),
            Node::Action(action) => self.pipe(&action.pipe, root),
            Node::If(branch) => {
                self.pipe(&branch.pipe, root)?;
                self.list(&branch.body, root)?;
                branch.else_body.as_ref().map_or(Ok(()), |list| self.list(list, root))
            }
            Node::Range(branch) | Node::With(branch) => {
                self.pipe(&branch.pipe, root)?;
                self.list(&branch.body, false)?;
                branch.else_body.as_ref().map_or(Ok(()), |list| self.list(list, root))
            }
            Node::Template(call) => call.pipe.as_ref().map_or(Ok(()), |pipe| self.pipe(pipe, root)),
            Node::Text(_) | Node::Define(_) | Node::Break(_) | Node::Continue(_) => Ok(()),
        }
    }

    fn pipe(&self, pipe: &PipeNode, root: bool) -> Result<(), TemplateFault> {
        pipe.commands.iter().try_for_each(|command| self.command(command, root))
    }

    fn command(&self, command: &CommandNode, root: bool) -> Result<(), TemplateFault> {
        command.args.iter().try_for_each(|expression| self.expression(expression, root))
    }

    fn expression(&self, expression: &Expr, root: bool) -> Result<(), TemplateFault> {
        match expression {
            Expr::Field(position, fields) if root => self.field(*position, fields.first()),
            Expr::Variable(position, name, fields) if name == "$" => self.field(*position, fields.first()),
            Expr::Identifier(position, name) if !FUNCTIONS.contains(&name.as_str()) => Err(self.fault(
                *position,
                format!("the template function {name:?} does not exist; there are {}", FUNCTIONS.join(", ")),
            )),
            Expr::Pipe(_, pipe) => self.pipe(pipe, root),
            Expr::Chain(_, inner, _) => self.expression(inner, root),
            _ => Ok(()),
        }
    }

    fn field<S: AsRef<str>>(&self, position: Pos, field: Option<&S>) -> Result<(), TemplateFault> {
        match field.map(AsRef::as_ref) {
            Some(name) if !self.parameters.contains(&name) => Err(self.fault(
                position,
                format!("the template names .{name}, which is no template parameter; declare it under templateParameters"),
            )),
            _ => Ok(()),
        }
    }

    fn fault(&self, position: Pos, message: String) -> TemplateFault {
        let before = self.statement.get(..position.offset).unwrap_or_default();
        let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
        TemplateFault { message, position: Some((before.matches('\n').count() + 1, column)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(statement: &str, values: &[(&str, Value)]) -> String {
        let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
        Template::parse(statement, &names).unwrap().render(values).unwrap().to_string()
    }

    fn fault(statement: &str, names: &[&str]) -> TemplateFault {
        Template::parse(statement, names).unwrap_err()
    }

    #[test]
    fn text_without_actions_is_taken_as_it_is() {
        let template = Template::parse("SELECT '}}' WHERE a = $1", &[]).unwrap();
        assert!(!template.has_actions());
        assert_eq!(&*template.render(&[]).unwrap(), "SELECT '}}' WHERE a = $1");
    }

    #[test]
    fn values_render_as_go_prints_them() {
        let values = [
            ("t", Value::Text("orders".into())),
            ("i", Value::Int(12)),
            ("f", Value::Float(1.5)),
            ("b", Value::Bool(true)),
        ];
        assert_eq!(render("{{.t}} {{.i}} {{.f}} {{.b}}", &values), "orders 12 1.5 true");
    }

    #[test]
    fn an_absent_value_renders_empty_and_is_false() {
        let values = [("t", Value::Null)];
        assert_eq!(render("[{{.t}}]{{if .t}}x{{else}}y{{end}}", &values), "[]y");
    }

    #[test]
    fn array_joins_items_of_any_kind() {
        let list = Value::Array(vec![Value::Text("a".into()), Value::Int(2)]);
        assert_eq!(render("{{array .l}}", &[("l", list)]), "a, 2");
        assert_eq!(render("({{array .l}})", &[("l", Value::Null)]), "()");
    }

    #[test]
    fn range_with_and_variables_work() {
        let list = Value::Array(vec![Value::Text("a".into()), Value::Text("b".into())]);
        let statement = "{{range $i, $c := .l}}{{if $i}},{{end}}{{$c}}{{end}} {{with .t}}{{.}}{{$.t}}{{end}}";
        assert_eq!(render(statement, &[("l", list), ("t", Value::Text("z".into()))]), "a,b zz");
    }

    #[test]
    fn an_undeclared_field_is_found_before_any_call() {
        let fault = fault("SELECT *\nFROM {{.table}}", &["tabel"]);
        assert_eq!(fault.position, Some((2, 8)));
        assert!(fault.message.contains(".table, which is no template parameter"), "{}", fault.message);
    }

    #[test]
    fn an_unknown_function_and_bad_syntax_are_found_before_any_call() {
        assert!(fault("{{frob .a}}", &["a"]).message.contains("\"frob\" does not exist"));
        let broken = fault("SELECT 1\n{{if .a}}", &["a"]);
        assert_eq!(
            broken.message,
            "template syntax: 1 blocks (if, range, with, define, block) but 0 {{end}}"
        );
        assert!(fault("{{if .a}}{{end}}{{- end -}}", &["a"]).message.starts_with("template syntax: "));
        assert!(fault("{{if}}{{end}}", &["a"]).message.starts_with("template syntax: "));
    }
}
