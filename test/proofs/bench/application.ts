/** A bare application in a process of its own: answers every call with the document given (a gather), `[]` afterwards. Prints its port. */
import { createRequire } from 'node:module'

const uws = createRequire(import.meta.url)('@uwsjs/linux-x64-22')
const document = process.argv[2] ?? '[{"gather":{"timeout":60}}]'

uws
  .App()
  .post('/*', (response: any) => {
    let body = ''
    response.onAborted(() => {})
    response.onData((chunk: ArrayBuffer, last: boolean) => {
      body += Buffer.from(chunk).toString('latin1')
      if (last) response.writeHeader('content-type', 'application/json').end(body.includes('"call.inbound.pre_route"') ? document : '[]')
    })
  })
  .listen('127.0.0.1', 0, (socket: unknown) => console.log(uws.us_socket_local_port(socket)))
