use super::{decide_within, options};
#[test]
fn probe() {
    let text = std::env::var("OPTS").unwrap_or_default();
    let o = options(&text);
    for case in kit::programs::known() {
        if std::env::var("CASE").is_ok_and(|c| c != case.name) {
            continue;
        }
        let now = std::time::Instant::now();
        let mut st = lemmas::Statistics::default();
        let v = ic3icp::check(
            &case.pool,
            &case.cfa,
            &o,
            &smt::Standard,
            &answer::Allowance::default().within(std::time::Duration::from_secs(8)),
            &mut st,
        );
        let s = format!("{v:?}");
        eprintln!(
            "{}: {} {:?} frames {} lemmas {} obl {} queries {:?}",
            case.name,
            &s[..s.len().min(60)],
            now.elapsed(),
            st.frames,
            st.lemmas,
            st.obligations,
            st.queries
        );
    }
}
