//! Takes the names of users and hosts out of the server's messages: `Access denied for user 'app'@'10.0.0.7'`.

/// The message in one line, without accounts and hosts.
pub(crate) fn scrub(message: &str) -> String {
    let mut clean = message.replace(['\r', '\n'], " ");
    while let Some((start, end)) = account(&clean).or_else(|| named(&clean)) {
        clean.replace_range(start..end, "(hidden)");
    }
    clean
}

/// The words before a name, quoted or bare, in the messages that refuse or end a connection.
const BEFORE_A_NAME: [&str; 7] = ["Host '", "host '", "host: '", "User '", "user: '", "for user '", "User "];

/// Where `'user'@'host'` stands.
fn account(message: &str) -> Option<(usize, usize)> {
    let middle = message.find("'@'")?;
    let start = message.get(..middle)?.rfind('\'')?;
    let after = middle + "'@'".len();
    let length = message.get(after..)?.find('\'')?;
    Some((start, after + length + 1))
}

/// Where the name after one of these words stands. The last of them ends at a blank: `User app already has more than`.
fn named(message: &str) -> Option<(usize, usize)> {
    BEFORE_A_NAME.into_iter().find_map(|words| {
        let quoted = words.ends_with('\'');
        let start = message.find(words)? + words.len() - usize::from(quoted);
        let rest = message.get(start..)?;
        if quoted {
            let length = rest.get(1..)?.find('\'')?;
            return Some((start, start + length + 2));
        }
        let bare = rest.strip_suffix(rest.get(rest.find(" already has")?..)?)?;
        (!bare.is_empty() && !bare.contains('(')).then_some((start, start + bare.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::scrub;

    #[test]
    fn accounts_and_hosts_are_hidden_and_the_rest_stays() {
        for (message, clean) in [
            (
                "Access denied for user 'root'@'172.17.0.1' (using password: YES)",
                "Access denied for user (hidden) (using password: YES)",
            ),
            (
                "SELECT command denied to user 'bob'@'localhost' for table 't'",
                "SELECT command denied to user (hidden) for table 't'",
            ),
            (
                "The user specified as a definer ('root'@'%') does not exist",
                "The user specified as a definer ((hidden)) does not exist",
            ),
            (
                "Host '10.1.2.3' is not allowed to connect to this MySQL server",
                "Host (hidden) is not allowed to connect to this MySQL server",
            ),
            (
                "User 'app' has exceeded the 'max_user_connections' resource (current value: 5)",
                "User (hidden) has exceeded the 'max_user_connections' resource (current value: 5)",
            ),
            (
                "User app already has more than 'max_user_connections' active connections",
                "User (hidden) already has more than 'max_user_connections' active connections",
            ),
            (
                "Aborted connection 5 to db: 'shop' user: 'app' host: '10.0.0.7' (Got timeout)",
                "Aborted connection 5 to db: 'shop' user: (hidden) host: (hidden) (Got timeout)",
            ),
            (
                "There is no such grant defined for user 'app' on host '10.0.0.7'",
                "There is no such grant defined for user (hidden) on host (hidden)",
            ),
            ("Unknown column 'a' in 'field list'", "Unknown column 'a' in 'field list'"),
        ] {
            assert_eq!(scrub(message), clean);
        }
    }
}
