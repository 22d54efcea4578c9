/** Plain http next to a web port with TLS: the way to https, the certificate of the authority, and nothing else. */
import { createServer } from 'node:http'
import t, { type Test } from 'tap'
import { Health } from '../../daemon/base/health.ts'
import { namesOf } from '../../daemon/http/hosts.ts'
import { Redirect, redirectListen, type RedirectOptions, webAddress } from '../../daemon/http/redirect.ts'
import { freePort } from '../harness/daemon.ts'
import { FakeClock } from '../harness/fake-clock.ts'
import { eventually } from '../harness/scene.ts'
import { send } from './raw.ts'

const tls = { cert: 'cert.pem', key: 'key.pem' }

async function stage(t: Test, change: Partial<RedirectOptions> = {}) {
  const plain = await freePort()
  const clock = new FakeClock()
  const health = new Health(() => clock.now())
  const http = { listen: '127.0.0.1:8443', tls, redirect: `127.0.0.1:${plain}` }
  const names = namesOf(['box.clinic.lan'])
  const redirect = new Redirect({ http, names, authority: () => 'PEM\n', port: () => 8443, health, clock, ...change })
  t.teardown(() => redirect.stop())
  return { plain, clock, health, redirect }
}

t.test('every path leads to https, under the name that was used', async (t) => {
  const { plain, redirect } = await stage(t)
  await redirect.start()
  for (const [line, host, location] of [
    ['GET /faxes', 'box.clinic.lan', 'https://box.clinic.lan:8443/faxes'],
    ['GET /', 'box.clinic.lan:80', 'https://box.clinic.lan:8443/'],
    ['GET /calls?q=42&x=%20', '192.168.1.20', 'https://192.168.1.20:8443/calls?q=42&x=%20'],
    ['GET /', '[fd00::1]:80', 'https://[fd00::1]:8443/'],
    ['POST /api/session', 'localhost', 'https://localhost:8443/api/session'],
    ['DELETE /authority.crt', 'localhost', 'https://localhost:8443/authority.crt'],
    ['GET //evil.example/', 'box.clinic.lan', 'https://box.clinic.lan:8443//evil.example/'],
    ['GET /%0d%0aSet-Cookie:%20a=b', 'box.clinic.lan', 'https://box.clinic.lan:8443/%0d%0aSet-Cookie:%20a=b'],
    ['GET /api/people', 'box.clinic.lan', 'https://box.clinic.lan:8443/api/people'],
    ['GET /healthz', 'box.clinic.lan', 'https://box.clinic.lan:8443/healthz'],
  ] as const) {
    const answer = await send(plain, `${line} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    t.match(answer, /^HTTP\/1\.1 308 Permanent Redirect\r\n/, line)
    t.ok(answer.includes(`\r\nLocation: ${location}\r\n`), answer)
    t.ok(answer.endsWith('\r\n\r\n'), 'without a body')
    t.notMatch(answer, /^(Strict-Transport-Security|Set-Cookie):/im)
  }
  t.match(await send(plain, 'GET /x HTTP/1.0\r\n\r\n'), /Location: https:\/\/127\.0\.0\.1:8443\/x\r\n/)
  const absolute = await send(plain, 'GET http://evil.example/x HTTP/1.1\r\nHost: box.clinic.lan\r\nConnection: close\r\n\r\n')
  t.match(absolute, /^HTTP\/1\.1 421 /, 'the name in the target counts (RFC 9112 section 3.2.2)')
})

t.test('the authority is there, for GET and HEAD', async (t) => {
  const { plain, redirect } = await stage(t)
  await redirect.start()
  const get = await send(plain, 'GET /authority.crt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  t.match(get, /^HTTP\/1\.1 200 OK\r\n.*Content-Type: application\/x-x509-ca-cert\r\n.*\r\n\r\nPEM\n$/s)
  const head = await send(plain, 'HEAD /authority.crt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  t.match(head, /^HTTP\/1\.1 200 OK\r\n.*Content-Length: 4\r\n.*\r\n\r\n$/s)
  const without = await stage(t, { authority: () => null })
  await without.redirect.start()
  t.match(await send(without.plain, 'GET /authority.crt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'), /^HTTP\/1\.1 308 /)
})

t.test('a name that is not the box’s leads nowhere', async (t) => {
  const { plain, redirect } = await stage(t)
  await redirect.start()
  for (const host of ['evil.example', 'evil.example:80', 'box.clinic.lan.evil.example', 'a b', '[', 'box.clinic.lan@evil.example'])
    for (const path of ['/', '/authority.crt']) {
      const answer = await send(plain, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
      t.match(answer, /^HTTP\/1\.1 421 Misdirected Request\r\n.*"code":"host_unknown"/s, host)
      t.notMatch(answer, /Location/)
    }
})

t.test('a busy port is a warning, and is tried again', async (t) => {
  const { plain, clock, health, redirect } = await stage(t)
  const other = createServer().listen(plain, '127.0.0.1')
  await new Promise((done) => other.once('listening', done))
  await redirect.start()
  t.match(health.warnings(), [{ code: 'http-redirect', text: /EADDRINUSE/, fix: /http\.redirect: off/ }])
  await new Promise((done) => other.close(done))
  clock.advance(60_000)
  await eventually('the port is open', () => health.warnings().length === 0)
  t.match(await send(plain, 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'), /^HTTP\/1\.1 308 /)
})

t.test('where it listens, and where people are sent', async (t) => {
  const at = (listen: string, rest: object = { tls }) => redirectListen({ listen, ...rest })
  t.equal(at('192.168.1.20:8443'), '192.168.1.20:80')
  t.equal(at('[::]:443'), '[::]:80')
  t.equal(at('192.168.1.20:8443', {}), null, 'without TLS')
  t.equal(at('192.168.1.20:8443', { tls, redirect: 'off' }), null)
  t.equal(at('192.168.1.20:8443', { tls, redirect: '0.0.0.0:8080' }), '0.0.0.0:8080')
  t.equal(webAddress({ listen: '192.168.1.20:8443', tls }), 'https://192.168.1.20:8443')
  t.equal(webAddress({ listen: '192.168.1.20:443', tls }), 'https://192.168.1.20')
  t.equal(webAddress({ listen: '127.0.0.1:8080' }), 'http://127.0.0.1:8080')
  t.equal(webAddress({ listen: '[fd00::1]:8443', tls }), 'https://[fd00::1]:8443')
  t.equal(webAddress({ listen: '0.0.0.0:8443', tls, names: ['pbx.clinic.lan'] }), 'https://pbx.clinic.lan:8443')
  t.notMatch(webAddress({ listen: '0.0.0.0:8443', tls }), /0\.0\.0\.0/, 'an address that leads somewhere')
})
