/** The answer to what cannot be read as a request, or comes too slowly. */
import { ApiError } from '../base/errors.ts'
import { newRequestId } from '../base/ids.ts'
import { errorAnswer, statusLine } from './answer.ts'

export type RefusalStatus = 400 | 405 | 408 | 417 | 431

/** All of it; the connection is closed afterwards. */
export function refusal(status: RefusalStatus): string {
  const requestId = newRequestId()
  const text =
    status === 400
      ? 'This is not a valid HTTP/1.1 request: its request line, a header or its framing is wrong.'
      : statusLine(status).slice(4)
  const { body = '' } = errorAnswer(new ApiError('invalid_url', text), requestId, false)
  const headers = [
    'Content-Type: application/json',
    `X-Request-Id: ${requestId}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  return `HTTP/1.1 ${statusLine(status)}\r\n${headers.join('\r\n')}\r\n\r\n${body}`
}
