// A mail server that takes every mail at 127.0.0.1:2525 and appends it to a file.   node mailbox.mjs FILE
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:net'

const [file] = process.argv.slice(2)
createServer((socket) => {
  let rest = ''
  let inside = false
  socket.on('error', () => undefined)
  socket.write('220 here\r\n')
  socket.on('data', (data) => {
    const lines = (rest + data).split('\r\n')
    rest = lines.pop()
    for (const line of lines) {
      if (inside) {
        appendFileSync(file, `${line}\n`)
        if (line === '.') socket.write('250 kept\r\n')
        inside = line !== '.'
      } else if (/^DATA/i.test(line)) socket.write('354 go on\r\n', () => (inside = true))
      else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n')
      else socket.write('250 good\r\n')
    }
  })
}).listen(2525, '127.0.0.1')
