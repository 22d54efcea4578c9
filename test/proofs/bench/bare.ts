/** What the durable POST is compared with: uWebSockets.js and LMDB, nothing between them. Argument: directory. Prints its port. */
import { createRequire } from 'node:module'
import { open } from 'lmdb'

const uws = createRequire(import.meta.url)('@uwsjs/linux-x64-22')
const database = open<unknown, string>({ path: process.argv[2] ?? '' })
let next = 0

uws
  .App()
  .post('/*', (response: any) => {
    let body = ''
    let gone = false
    response.onAborted(() => (gone = true))
    response.onData((chunk: ArrayBuffer, last: boolean) => {
      body += Buffer.from(chunk).toString()
      if (!last) return
      const id = String(++next).padStart(12, '0')
      void database
        .put(id, JSON.parse(body))
        .then(() => database.flushed)
        .then(() => {
          if (!gone)
            response.cork(() =>
              response.writeHeader('content-type', 'application/json').end(JSON.stringify({ callId: id, state: 'queued' })),
            )
        })
    })
  })
  .listen('127.0.0.1', 0, (socket: unknown) => console.log(uws.us_socket_local_port(socket)))
