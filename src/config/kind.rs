//! The kinds of entries, and the words for them.

/// What an entry declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// `source`.
    Source,
    /// `tool`.
    Tool,
    /// `toolset`.
    Toolset,
    /// `group`.
    Group,
    /// A kind that MCP Toolbox has and this program does not serve yet, by its word.
    NotServed(&'static str),
}

/// Every kind: its word in a document of its own, its key in the nested form, and what it is.
const KINDS: [(&str, &str, Kind); 9] = [
    ("source", "sources", Kind::Source),
    ("tool", "tools", Kind::Tool),
    ("toolset", "toolsets", Kind::Toolset),
    ("group", "groups", Kind::Group),
    ("prompt", "prompts", Kind::NotServed("prompt")),
    ("authService", "authServices", Kind::NotServed("authService")),
    ("embeddingModel", "embeddingModels", Kind::NotServed("embeddingModel")),
    ("resource", "resources", Kind::NotServed("resource")),
    ("resourceTemplate", "resourceTemplates", Kind::NotServed("resourceTemplate")),
];

impl Kind {
    /// The kind of a word after `kind:`.
    pub(super) fn of_word(word: &str) -> Option<Self> {
        KINDS.into_iter().find(|(known, ..)| *known == word).map(|(.., kind)| kind)
    }

    /// The kind of a top-level key of the nested form.
    pub(super) fn of_key(key: &str) -> Option<Self> {
        KINDS.into_iter().find(|(_, known, _)| *known == key).map(|(.., kind)| kind)
    }

    /// Every word after `kind:`.
    pub(super) fn words() -> impl Iterator<Item = &'static str> {
        KINDS.into_iter().map(|(word, ..)| word)
    }

    /// Every top-level key of the nested form.
    pub(super) fn keys() -> impl Iterator<Item = &'static str> {
        KINDS.into_iter().map(|(_, key, _)| key)
    }

    /// Its word.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Tool => "tool",
            Self::Toolset => "toolset",
            Self::Group => "group",
            Self::NotServed(word) => word,
        }
    }

    /// The name space of its names: toolsets and groups share one.
    pub(super) fn name_space(self) -> &'static str {
        match self {
            Self::Group => Self::Toolset.word(),
            kind => kind.word(),
        }
    }
}
