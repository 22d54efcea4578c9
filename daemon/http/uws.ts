/** The part of uWebSockets.js that is used, as types: the package carries none. Only server.ts loads the library itself. */

/** Valid only until the handler that received it returns: everything needed must be copied before. */
export interface UwsRequest {
  getUrl(): string
  getQuery(): string | undefined
  getCaseSensitiveMethod(): string
  /** Names arrive in lower case. */
  forEach(visit: (name: string, value: string) => void): void
}

/** Throws when it is touched after the answer is complete or after the client went away. */
export interface UwsResponse {
  writeStatus(status: string): this
  /** Values are written as they are: the caller refuses control characters. */
  writeHeader(name: string, value: string): this
  write(chunk: string | ArrayBufferView): boolean
  end(body?: string | ArrayBufferView, closeConnection?: boolean): this
  endWithoutBody(): this
  /** Sends what the socket takes; `totalSize` becomes Content-Length. What was not sent has to be offered again. */
  tryEnd(chunk: ArrayBufferView, totalSize: number): [ok: boolean, done: boolean]
  getWriteOffset(): number
  onWritable(handler: (offset: number) => boolean): this
  onAborted(handler: () => void): this
  /** The chunk is taken back when the handler returns. */
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): this
  cork(work: () => void): this
  close(): this
  getRemoteAddress(): ArrayBuffer
}

export type UwsListenSocket = object

export interface UwsApp {
  any(pattern: string, handler: (res: UwsResponse, req: UwsRequest) => void): this
  listen(host: string, port: number, options: number, done: (socket: UwsListenSocket | false) => void): this
  close(): this
}

export interface Uws {
  App(): UwsApp
  /** Throws when certificate or key cannot be used. */
  SSLApp(options: { key_file_name: string; cert_file_name: string; ssl_ciphers: string }): UwsApp
  us_listen_socket_close(socket: UwsListenSocket): void
  us_socket_local_port(socket: UwsListenSocket): number
  /** `silent` leaves out the header that names the library and its version. */
  _cfg(key: string): void
  LIBUS_LISTEN_EXCLUSIVE_PORT: number
}
