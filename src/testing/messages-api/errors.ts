/** The API's error type for each status it documents. */
const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  503: 'api_error',
  529: 'overloaded_error',
};

/** The JSON body of an HTTP error. The type follows from the status unless given. */
export function errorBody(
  error: { readonly status: number; readonly type?: string; readonly message?: string },
  requestId: string,
): string {
  return JSON.stringify({
    type: 'error',
    error: {
      type: error.type ?? ERROR_TYPES[error.status] ?? 'api_error',
      message: error.message ?? 'Scripted error',
    },
    request_id: requestId,
  });
}
