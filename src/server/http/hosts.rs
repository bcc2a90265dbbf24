//! Who may ask: the `Host` and `Origin` headers that are served.
//!
//! A web page that a user has open can send requests to a server on the user's own machine, under a foreign origin or,
//! by DNS rebinding, under a foreign host name. Both are refused unless the operator names them (MCP, transports,
//! security warning).

use std::{net::IpAddr, sync::Arc};

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header, uri::Authority},
    middleware::Next,
    response::{IntoResponse, Response},
};
use tower_http::cors::{AllowOrigin, CorsLayer};

/// How long a browser may keep the answer to a preflight request.
const PREFLIGHT_MAX_AGE: std::time::Duration = std::time::Duration::from_mins(5);

/// The hosts and origins that are served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowed {
    hosts: Hosts,
    origins: Origins,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Hosts {
    Any,
    /// In lower case, without ports; an IPv6 address in brackets.
    Listed(Vec<String>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Origins {
    Any,
    Listed(Vec<Origin>),
    /// Pages served by this machine itself, from any port.
    Loopback,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Origin {
    scheme: String,
    host: String,
    /// `None` for `:*`, any port.
    port: Option<u16>,
}

/// A word of `--allowed-hosts` or `--allowed-origins` that cannot be meant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{flag}: {word:?} is no {what}")]
pub struct BadEntry {
    flag: &'static str,
    word: String,
    what: &'static str,
}

impl Allowed {
    /// What the flags say. Empty lists mean the default: this machine's loopback names and the address that is served, if it
    /// is one, as hosts; loopback origins. `*` allows everything.
    ///
    /// # Errors
    ///
    /// The first entry that is neither a host nor an origin.
    pub fn new(hosts: &[String], origins: &[String], address: &str) -> Result<Self, BadEntry> {
        let hosts = if hosts.iter().any(|host| host == "*") {
            Hosts::Any
        } else if hosts.is_empty() {
            let mut listed: Vec<String> = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned).into();
            let wildcard = address.parse::<IpAddr>().is_ok_and(|address| address.is_unspecified());
            if !wildcard {
                listed.push(bracketed(&address.to_ascii_lowercase()));
            }
            Hosts::Listed(listed)
        } else {
            let host = |word: &String| {
                host_of(&bracketed(word)).ok_or_else(|| BadEntry {
                    flag: "--allowed-hosts",
                    word: word.clone(),
                    what: "host name; write example.com, an address, or * for any",
                })
            };
            Hosts::Listed(hosts.iter().map(host).collect::<Result<_, _>>()?)
        };
        let origins = if origins.iter().any(|origin| origin == "*") {
            Origins::Any
        } else if origins.is_empty() {
            Origins::Loopback
        } else {
            let origin = |word: &String| {
                Origin::parse(word).ok_or_else(|| BadEntry {
                    flag: "--allowed-origins",
                    word: word.clone(),
                    what: "origin; write https://example.com, https://example.com:8443, http://localhost:*, or * for any",
                })
            };
            Origins::Listed(origins.iter().map(origin).collect::<Result<_, _>>()?)
        };
        Ok(Self { hosts, origins })
    }

    /// Whether everything is allowed in some respect, which is worth a warning.
    #[must_use]
    pub fn wildcards(&self) -> Vec<&'static str> {
        let mut wildcards = Vec::new();
        if self.hosts == Hosts::Any {
            wildcards.push("--allowed-hosts");
        }
        if self.origins == Origins::Any {
            wildcards.push("--allowed-origins");
        }
        wildcards
    }

    fn allows_host(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        let Hosts::Listed(listed) = &self.hosts else { return true };
        // A host in the request line is the one that counts (RFC 9112, section 3.2.2).
        let host = uri.authority().map(Authority::as_str);
        let host = host.or_else(|| only(headers, &header::HOST)?.to_str().ok());
        host.and_then(host_of).is_some_and(|host| listed.contains(&host))
    }

    fn allows_origin(&self, origin: &HeaderValue) -> bool {
        let parsed = || origin.to_str().ok().and_then(Origin::parse);
        match &self.origins {
            Origins::Any => true,
            Origins::Loopback => parsed().is_some_and(|origin| is_loopback(&origin.host)),
            Origins::Listed(listed) => parsed().is_some_and(|origin| {
                listed.iter().any(|allowed| {
                    allowed.scheme == origin.scheme
                        && allowed.host == origin.host
                        && (allowed.port.is_none() || allowed.port == origin.port)
                })
            }),
        }
    }
}

impl Origin {
    fn parse(word: &str) -> Option<Self> {
        let (scheme, authority) = word.split_once("://")?;
        let scheme = scheme.to_ascii_lowercase();
        let (authority, any_port) = match authority.strip_suffix(":*") {
            Some(authority) => (authority, true),
            None => (authority, false),
        };
        let authority: Authority = authority.trim_end_matches('/').parse().ok()?;
        let default = match scheme.as_str() {
            "http" => Some(80),
            "https" => Some(443),
            _ => None,
        };
        let port = if any_port { None } else { Some(authority.port_u16().or(default)?) };
        Some(Self { scheme, host: authority.host().to_ascii_lowercase(), port })
    }
}

/// A bare IPv6 address in brackets, anything else as it is.
fn bracketed(host: &str) -> String {
    if host.parse::<std::net::Ipv6Addr>().is_ok() { format!("[{host}]") } else { host.to_owned() }
}

/// The host of `host[:port]`, in lower case.
fn host_of(host: &str) -> Option<String> {
    let authority: Authority = host.parse().ok()?;
    (!authority.as_str().contains('@') && !authority.host().is_empty())
        .then(|| authority.host().to_ascii_lowercase())
}

/// The value of a header that comes once. Of several, nobody can tell which one another program believed.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Refuses foreign hosts and origins with 403 and the option to set.
pub(super) async fn check(State(allowed): State<Arc<Allowed>>, request: Request, next: Next) -> Response {
    if !allowed.allows_host(request.uri(), request.headers()) {
        let text = "Invalid Host header: this server does not answer under that name; the operator can allow it with --allowed-hosts\n";
        return (StatusCode::FORBIDDEN, text).into_response();
    }
    let origin = only(request.headers(), &header::ORIGIN);
    if request.headers().contains_key(header::ORIGIN)
        && !origin.is_some_and(|origin| allowed.allows_origin(origin))
    {
        let text = "Invalid Origin header: this server does not serve pages of that origin; the operator can allow it with --allowed-origins\n";
        return (StatusCode::FORBIDDEN, text).into_response();
    }
    next.run(request).await
}

/// The CORS answers for allowed origins.
pub(super) fn cors(allowed: &Arc<Allowed>) -> CorsLayer {
    let allowed = allowed.clone();
    let own = [
        "mcp-session-id",
        "mcp-protocol-version",
        "mcp-method",
        "mcp-name",
        "x-csrf-token",
        "traceparent",
        "tracestate",
    ];
    let headers = own.map(HeaderName::from_static).into_iter().chain([
        header::ACCEPT,
        header::AUTHORIZATION,
        header::CONTENT_TYPE,
    ]);
    CorsLayer::new()
        .allow_origin(AllowOrigin::predicate(move |origin, _| allowed.allows_origin(origin)))
        .allow_credentials(true)
        .allow_methods([Method::GET, Method::POST, Method::DELETE, Method::OPTIONS])
        .allow_headers(headers.collect::<Vec<_>>())
        .expose_headers([HeaderName::from_static("mcp-session-id")])
        .max_age(PREFLIGHT_MAX_AGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(hosts: &[&str], origins: &[&str], address: &str) -> Allowed {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        Allowed::new(&words(hosts), &words(origins), address).unwrap()
    }

    fn host(allowed: &Allowed, host: &str) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().unwrap());
        allowed.allows_host(&Uri::from_static("/mcp"), &headers)
    }

    fn origin(allowed: &Allowed, origin: &str) -> bool {
        allowed.allows_origin(&origin.parse().unwrap())
    }

    #[test]
    fn by_default_only_this_machine_is_served() {
        let default = allowed(&[], &[], "127.0.0.1");
        for name in ["localhost", "LOCALHOST:5000", "127.0.0.1:5000", "[::1]:5000"] {
            assert!(host(&default, name), "{name}");
        }
        for name in
            ["example.com", "127.0.0.1.example.com", "localhost.example.com", "0.0.0.0", "user@localhost", ""]
        {
            assert!(!host(&default, name), "{name}");
        }
        for name in ["http://localhost:3000", "http://127.0.0.1", "http://[::1]:8080"] {
            assert!(origin(&default, name), "{name}");
        }
        for name in ["https://example.com", "null", "http://localhost.example.com", "localhost", "file://"] {
            assert!(!origin(&default, name), "{name}");
        }
        assert!(!default.allows_host(&Uri::from_static("/mcp"), &HeaderMap::new()));
    }

    #[test]
    fn the_served_address_is_a_host_unless_it_is_every_address() {
        assert!(host(&allowed(&[], &[], "192.0.2.7"), "192.0.2.7:5000"));
        assert!(host(&allowed(&[], &[], "2001:db8::1"), "[2001:db8::1]:5000"));
        assert!(!host(&allowed(&[], &[], "0.0.0.0"), "0.0.0.0:5000"));
    }

    #[test]
    fn listed_hosts_and_origins_replace_the_defaults() {
        let listed = allowed(
            &["DB.example.org:8443", "::1"],
            &["https://app.example.org", "http://dev.example.org:*"],
            "127.0.0.1",
        );
        assert!(host(&listed, "db.example.org"));
        assert!(host(&listed, "db.example.org:1"));
        assert!(host(&listed, "[::1]:1"));
        assert!(!host(&listed, "localhost"));
        assert!(origin(&listed, "https://app.example.org"));
        assert!(origin(&listed, "https://APP.example.org:443"));
        assert!(origin(&listed, "http://dev.example.org:3000"));
        assert!(!origin(&listed, "http://app.example.org"));
        assert!(!origin(&listed, "https://app.example.org:8443"));
    }

    #[test]
    fn a_star_allows_everything_and_is_reported() {
        let any = allowed(&["*"], &["*"], "127.0.0.1");
        assert!(host(&any, "example.com") && origin(&any, "null"));
        assert_eq!(any.wildcards(), ["--allowed-hosts", "--allowed-origins"]);
        assert!(allowed(&[], &[], "127.0.0.1").wildcards().is_empty());
    }

    #[test]
    fn an_entry_that_cannot_be_meant_is_an_error() {
        let error = Allowed::new(&[], &["example.com".to_owned()], "127.0.0.1").unwrap_err();
        assert!(error.to_string().starts_with("--allowed-origins: \"example.com\" is no origin"), "{error}");
        assert!(Allowed::new(&["a b".to_owned()], &[], "127.0.0.1").is_err());
    }
}
