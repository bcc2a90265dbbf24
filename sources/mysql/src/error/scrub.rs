//! Takes the names of users and hosts out of the server's messages: `Access denied for user 'app'@'10.0.0.7'`.

/// The message in one line, without accounts and hosts.
pub(crate) fn scrub(message: &str) -> String {
    let mut clean = message.replace(['\r', '\n'], " ");
    while let Some((start, end)) = account(&clean).or_else(|| host(&clean)) {
        clean.replace_range(start..end, "(hidden)");
    }
    clean
}

/// Where `'user'@'host'` stands.
fn account(message: &str) -> Option<(usize, usize)> {
    let middle = message.find("'@'")?;
    let start = message.get(..middle)?.rfind('\'')?;
    let after = middle + "'@'".len();
    let length = message.get(after..)?.find('\'')?;
    Some((start, after + length + 1))
}

/// Where the name after `Host` stands, in the messages that refuse a connection.
fn host(message: &str) -> Option<(usize, usize)> {
    let start = message.find("Host '")? + "Host ".len();
    let length = message.get(start + 1..)?.find('\'')?;
    Some((start, start + 1 + length + 1))
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
            ("Unknown column 'a' in 'field list'", "Unknown column 'a' in 'field list'"),
        ] {
            assert_eq!(scrub(message), clean);
        }
    }
}
