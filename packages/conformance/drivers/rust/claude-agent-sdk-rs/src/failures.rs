use claude_agent_sdk_rs::ClaudeError;

use crate::driver_kit::Failure;

pub fn failure(error: ClaudeError) -> Failure {
    let (kind, class) = match &error {
        ClaudeError::CliNotFound(_) => ("not_found", "CliNotFound"),
        ClaudeError::Connection(_) => ("launch", "Connection"),
        ClaudeError::Process(process) if process.exit_code.is_none() => ("launch", "Process"),
        ClaudeError::Process(_) => ("process_exit", "Process"),
        ClaudeError::JsonDecode(_) => ("json", "JsonDecode"),
        ClaudeError::MessageParse(_) => ("parse", "MessageParse"),
        ClaudeError::Transport(text) if text.starts_with("Buffer size") => ("frame_too_large", "Transport"),
        ClaudeError::Transport(text) if text.contains("stdin") || text.contains("write") => ("closed", "Transport"),
        ClaudeError::Transport(_) => ("other", "Transport"),
        ClaudeError::ControlProtocol(text) if text.contains("channel closed") => ("closed", "ControlProtocol"),
        ClaudeError::ControlProtocol(_) => ("control", "ControlProtocol"),
        ClaudeError::InvalidConfig(text) if text.contains("not connected") => ("closed", "InvalidConfig"),
        ClaudeError::InvalidConfig(_) => ("invalid_option", "InvalidConfig"),
        ClaudeError::ImageValidation(_) => ("invalid_option", "ImageValidation"),
        ClaudeError::Io(_) => ("other", "Io"),
        ClaudeError::Other(_) => ("other", "Other"),
    };
    Failure::new(kind, class, error)
}
