//! The encoding that a client asks for with one call: in the `_meta` of the request, else in the query of its URL.

use rmcp::{ErrorData, RoleServer, model::RequestMetaObject, service::RequestContext};
use serde_json::Value as Json;

use crate::seam::Encoding;

/// The key in `_meta`.
const META: &str = "toolbox/responseEncoding";

/// The name in the query of the URL.
const QUERY: &str = "response-encoding";

/// What the client asks for.
///
/// # Errors
///
/// Invalid params, with the list of encodings, for a name that is none.
pub(super) fn of_call(
    meta: Option<&RequestMetaObject>,
    context: &RequestContext<RoleServer>,
) -> Result<Option<Encoding>, ErrorData> {
    // rmcp moves the `_meta` of a request into its context; which of the two holds it depends on the transport.
    let in_meta = context.meta.0.get(META).or_else(|| meta.and_then(|meta| meta.0.get(META)));
    match in_meta {
        None | Some(Json::Null) => {}
        Some(Json::String(name)) => return parsed(name, "_meta").map(Some),
        Some(_) => {
            return Err(ErrorData::invalid_params(format!("{META:?} in _meta must be a string"), None));
        }
    }
    let query = context.extensions.get::<axum::http::request::Parts>().and_then(|parts| parts.uri.query());
    let in_query = form_urlencoded::parse(query.unwrap_or_default().as_bytes())
        .find(|(name, _)| name == QUERY)
        .map(|(_, value)| parsed(&value, "the query of the URL"));
    in_query.transpose()
}

fn parsed(name: &str, place: &str) -> Result<Encoding, ErrorData> {
    name.parse().map_err(|error| ErrorData::invalid_params(format!("{error} (in {place})"), None))
}
