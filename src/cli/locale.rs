//! What the locale says of the characters a terminal understands.

/// The locale in force: the first of `LC_ALL`, `LC_CTYPE` and `LANG` that is set.
pub(super) fn locale() -> Option<String> {
    let variables = ["LC_ALL", "LC_CTYPE", "LANG"].map(|name| std::env::var(name).unwrap_or_default());
    variables.into_iter().find(|value| !value.is_empty())
}

/// False when the locale names another encoding than UTF-8. One that is not set says nothing against it.
pub(super) fn takes_utf8(locale: Option<&str>) -> bool {
    locale.is_none_or(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}
