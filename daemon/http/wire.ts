/** One request and its answer as the listener hands them over. */
import type { Socket } from 'node:net'

export interface WireRequest {
  readonly method: string
  /** Not decoded. */
  readonly path: string
  /** Not decoded; '' where there is none. */
  readonly query: string
  /** Names in lower case; values of repeated ones joined with ', '. */
  readonly headers: ReadonlyMap<string, string>
}

/**
 * The answer: status and headers, then one of `end`, `endWithoutBody`, `write` until `end`, and `part` until all was given. After that, or
 * when the client has left, nothing of it may be called.
 */
export interface WireResponse {
  /** Of which the request came. */
  readonly socket: Socket
  /** Of the other end, as text; '' of a unix socket. */
  readonly address: string
  writeStatus(status: string): void
  /** Values are written as they are: the caller refuses control characters. */
  writeHeader(name: string, value: string): void
  /** Several, each with the end of its line. */
  writeHeaders(lines: string): void
  /** A piece of a body whose length is not known; of an empty one only the head is sent. False: it is kept in memory until the socket takes more. */
  write(piece: string): boolean
  /** The whole body, or the last piece of one that was begun. */
  end(body?: string | Uint8Array, closeConnection?: boolean): void
  /** `length`: of the body that is left out, for HEAD. */
  endWithoutBody(length?: number): void
  /** A part of a body of `total` bytes, whose memory is the socket's from now on; false as of `write`. The answer ends with the last one. */
  part(bytes: Uint8Array, total: number): boolean
  /** Called each time the socket takes more. */
  onWritable(handler: () => void): void
  /** Called once, when the client leaves before the answer is complete. */
  onAborted(handler: () => void): void
  /** Called with each piece of the body, and with an empty one as the last. */
  onData(handler: (piece: Uint8Array<ArrayBuffer>, isLast: boolean) => void): void
  /** No more of the body for now. */
  pause(): void
  resume(): void
  /** Cuts the connection. */
  close(): void
}

export type Accept = (res: WireResponse, req: WireRequest) => void

/** A port, or a unix socket, that is open. */
export interface Listener {
  /** 0 of a unix socket. */
  readonly port: number
  /** Reads certificate and key again; connections that are open go on. Throws where they cannot be used: the former ones stay. */
  reload(): void
  /** Takes no more connections; those that wait for a request are closed. */
  stop(): void
  /** Cuts what is left. */
  close(): void
}

/** Names of PEM files. */
export interface TlsFiles {
  readonly cert: string
  readonly key: string
}
