//! The name that somebody may have meant.

/// The name of a list that is most similar to another; none if none is similar.
///
/// Case, hyphens and underscores do not count.
///
/// ```
/// use unstick_mlcp::nearest;
///
/// assert_eq!(nearest("polycy", ["policy", "penalty"]), Some("policy"));
/// assert_eq!(nearest("xyz", ["policy", "penalty"]), None);
/// ```
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = |text: &str| text.to_lowercase().replace(['-', ' '], "_");
    let name = folded(name);
    let scored = known.into_iter().map(|known| (strsim::damerau_levenshtein(&name, &folded(known)), known));
    let (distance, best) = scored.min_by_key(|&(distance, _)| distance)?;
    (distance <= 1 + name.chars().count() / 3).then_some(best)
}
