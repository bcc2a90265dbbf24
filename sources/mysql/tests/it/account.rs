//! What the account may do beyond the data.

use toolbox_mysql::{MySql, Options};
use toolbox_source::Source as _;

use crate::support::{Database, Server, on_each};

/// The phrases for an account with these grants, made for the test. Its roles are granted and not active.
async fn powers(database: &Database, grants: &[&str]) -> Vec<String> {
    let user = format!("{}_u", database.name.replace("toolbox_test", "tbx"));
    let role = format!("{}_r", database.name.replace("toolbox_test", "tbx"));
    let mut script =
        format!("CREATE USER {user} IDENTIFIED BY 'word'; CREATE ROLE {role}; GRANT {role} TO {user}");
    for grant in grants {
        script.push_str("; ");
        script.push_str(&grant.replace("USER", &user).replace("ROLE", &role).replace("DB", &database.name));
    }
    database.script(&script).await;
    let options =
        Options { user: Some(user.clone()), password: Some("word".to_owned().into()), ..database.options() };
    let source = MySql::open("test", options).unwrap();
    let powers = source.powers().await;
    source.close().await;
    database.script(&format!("DROP USER {user}; DROP ROLE {role}")).await;
    powers.unwrap()
}

#[tokio::test]
async fn an_account_that_may_only_use_its_data_has_no_powers() {
    on_each(|database| async move {
        for grants in [&["GRANT SELECT ON DB.* TO USER"][..], &["GRANT ALL PRIVILEGES ON DB.* TO USER"]] {
            assert_eq!(powers(&database, grants).await, [""; 0]);
        }
    })
    .await;
}

#[tokio::test]
async fn the_powers_of_an_account_and_of_its_roles_are_named() {
    on_each(|database| async move {
        let grants = [
            "GRANT SELECT ON DB.* TO USER WITH GRANT OPTION",
            "GRANT PROCESS ON *.* TO USER",
            "GRANT FILE ON *.* TO ROLE",
        ];
        let found = powers(&database, &grants).await;
        let file = match (
            database.text("SELECT COALESCE(@@secure_file_priv, 'none')").await.as_str(),
            database.server,
        ) {
            // MySQL writes no file then.
            ("none", Server::MySql) => None,
            ("" | "none", _) => Some("may read and write files of the server (FILE)"),
            _ => Some("may read and write files of the server in the folder of secure_file_priv (FILE)"),
        };
        let others =
            ["may grant what it has (GRANT OPTION)", "may see the statements of other sessions (PROCESS)"];
        let expected: Vec<&str> = file.into_iter().chain(others).collect();
        assert_eq!(found, expected);
    })
    .await;
}

#[tokio::test]
async fn the_root_account_has_the_most_serious_powers() {
    on_each(|database| async move {
        let powers = database.source().powers().await.unwrap();
        let all = powers.iter().any(|power| power.contains("ALL PRIVILEGES"));
        let each = ["(SUPER)", "(CREATE USER)", "(CONNECTION_ADMIN)", "(SELECT)"];
        let each = each.iter().all(|name| powers.iter().any(|power| power.contains(name)));
        assert!(all || each, "{powers:?}");
        assert!(powers.iter().any(|power| power.contains("(GRANT OPTION)")), "{powers:?}");
        assert!(
            powers.iter().all(|power| !power.contains('\'') && !power.contains('`') && !power.contains('*')),
            "{powers:?}"
        );
    })
    .await;
}
