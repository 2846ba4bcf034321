use cc_sdk::SdkError;

use crate::driver_kit::Failure;

pub fn failure(error: SdkError) -> Failure {
    // The crate says so of a method that it does not have in a session without a hook, a callback or a server.
    if matches!(&error, SdkError::InvalidState { message } if message.starts_with("Query handler")) {
        return Failure::unsupported(format!("a method in a session without callbacks: {error}"));
    }
    let (kind, class) = match &error {
        SdkError::CliNotFound { .. } => ("not_found", "CliNotFound"),
        SdkError::ConnectionError(_) => ("launch", "ConnectionError"),
        SdkError::ProcessError(_) => ("launch", "ProcessError"),
        SdkError::MessageParseError { .. } => ("parse", "MessageParseError"),
        SdkError::JsonError(_) => ("json", "JsonError"),
        SdkError::CliJsonDecodeError { .. } => ("json", "CliJsonDecodeError"),
        SdkError::Timeout { .. } => ("timeout", "Timeout"),
        SdkError::ConfigError(_) => ("invalid_option", "ConfigError"),
        SdkError::ControlRequestError(text) if text.contains("closed") => ("closed", "ControlRequestError"),
        SdkError::ControlRequestError(_) => ("control", "ControlRequestError"),
        SdkError::ProcessExited { .. } => ("process_exit", "ProcessExited"),
        SdkError::ChannelSendError => ("closed", "ChannelSendError"),
        SdkError::ChannelClosed => ("closed", "ChannelClosed"),
        SdkError::InvalidState { .. } => ("closed", "InvalidState"),
        _ => ("other", "SdkError"),
    };
    let code = match &error {
        SdkError::ProcessExited { code } => *code,
        _ => None,
    };
    let failure = Failure::new(kind, class, error);
    match code {
        Some(code) => failure.with("exit_code", code),
        None => failure,
    }
}
