//! Values that have a form of their own.

use verify::DataModel;

pub(super) fn data_model(name: &str) -> Result<DataModel, String> {
    DataModel::named(name).ok_or_else(|| "there are ILP32 and LP64".to_owned())
}

pub(super) fn configuration(text: &str) -> Result<char, String> {
    match text.chars().next() {
        Some(letter @ 'A'..='Q') if text.len() == 1 => Ok(letter),
        _ => Err("expected a letter from A to Q".into()),
    }
}

pub(super) fn assignment(text: &str) -> Result<String, ic3cfa::settings::SettingError> {
    ic3cfa::Options::default().assign(text)?;
    Ok(text.to_owned())
}

pub(super) fn ic3_assignment(text: &str) -> Result<String, lemmas::settings::SettingError> {
    ic3::Options::default().assign(text)?;
    Ok(text.to_owned())
}

pub(super) fn icp_assignment(text: &str) -> Result<String, lemmas::settings::SettingError> {
    ic3icp::Options::default().assign(text)?;
    Ok(text.to_owned())
}

pub(super) fn summary_assignment(text: &str) -> Result<String, lemmas::settings::SettingError> {
    summary::Options::default().assign(text)?;
    Ok(text.to_owned())
}

pub(super) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds.is_finite() && seconds > 0.0 => Ok(seconds),
        _ => Err("expected a positive number of seconds".into()),
    }
}
