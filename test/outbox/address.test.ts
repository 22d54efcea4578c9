import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { setTimeout as pause } from 'node:timers/promises'
import { request } from 'undici'
import { addressRefusal, checkUrl, guardedAgent, type AddressPolicy, type AgentOptions } from '../../daemon/outbox/address.ts'
import { parseConfig } from '../../daemon/config/load.ts'
import { policiesOf } from '../../daemon/outbox/policies.ts'
import { parseIPv6, unwrapIPv4 } from '../../daemon/base/ip.ts'

const strict: AddressPolicy = { allowLoopback: false }
const https = { protocol: 'https:', hostname: 'app.example.com' }
const local: AddressPolicy = { allowLoopback: true }

const reasonOf = (url: string, policy = strict): string => {
  const checked = checkUrl(url, policy)
  return checked.ok ? 'ok' : checked.reason
}

t.test('applications in the clinic’s network and on the internet are allowed', async (t) => {
  for (const url of [
    'http://10.1.2.3/x',
    'http://172.16.0.1:3000/',
    'https://192.168.1.10:8443/voice?a=1',
    'http://100.64.1.1/',
    'http://[fd12:3456::1]:3000/',
    'https://app.example.com/hook',
    'https://8.8.8.8:8080/',
    'https://[2606:4700::1111]/',
    'http://[2001:db8::1]/',
    'http://[::ffff:10.0.0.1]/',
  ]) {
    t.equal(reasonOf(url), 'ok', url)
  }
})

t.test('addresses that never are an application are refused in every spelling', async (t) => {
  const cases: [string, RegExp][] = [
    ['http://0.0.0.0/', /this network/],
    ['http://0.1.2.3/', /this network/],
    ['http://0/', /this network/],
    ['http://169.254.169.254/latest', /link-local/],
    ['http://0xa9fea9fe/', /link-local/],
    ['http://2852039166/', /link-local/],
    ['http://169.254.43518/', /link-local/],
    ['http://[::ffff:169.254.169.254]/', /link-local/],
    ['http://[::ffff:a9fe:a9fe]/', /link-local/],
    ['http://[64:ff9b::169.254.169.254]/', /link-local/],
    ['http://[2002:a9fe:a9fe::1]/', /link-local/],
    ['http://[::169.254.169.254]/', /link-local/],
    ['http://[fe80::1]/', /link-local/],
    ['http://[febf::1]/', /link-local/],
    ['http://224.0.0.1/', /multicast/],
    ['http://239.255.255.255/', /multicast/],
    ['http://[ff02::1]/', /multicast/],
    ['http://255.255.255.255/', /broadcast/],
    ['http://240.0.0.1/', /broadcast/],
    ['http://[::]/', /unspecified/],
    ['http://[fec0::1]/', /site-local/],
    ['http://[64:ff9b:1::7f00:1]/', /locally translated/],
  ]
  for (const [url, expected] of cases) {
    t.match(reasonOf(url, strict), expected, url)
    t.match(reasonOf(url, local), expected, `${url} where loopback is allowed`)
  }
})

t.test('this machine is refused unless it is allowed', async (t) => {
  for (const url of [
    'http://127.0.0.1:3000/',
    'http://127.1/',
    'http://0x7f.1/',
    'http://2130706433/',
    'http://017700000001/',
    'http://localhost:3000/',
    'http://LOCALHOST./',
    'http://app.localhost/',
    'http://[::1]:3000/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://①②⑦.⓪.⓪.①/',
  ]) {
    t.match(reasonOf(url, strict), /allowLoopback/, url)
    t.equal(reasonOf(url, local), 'ok', url)
  }
})

t.test('http without TLS goes to private networks only, unless it is permitted', async (t) => {
  for (const url of [
    'http://8.8.8.8:8080/',
    'http://134744072/',
    'http://[2606:4700::1111]/',
    'http://[::ffff:8.8.8.8]/',
    'http://172.32.0.1/',
  ]) {
    t.match(reasonOf(url), /allowPlainHttp/, url)
    t.equal(reasonOf(url, { ...strict, allowPlainHttp: true }), 'ok', url)
  }
  const named = { protocol: 'http:', hostname: 'app.example.com' }
  t.match(addressRefusal('8.8.8.8', 80, strict, named), /allowPlainHttp/, 'a name is judged by its address')
  t.equal(addressRefusal('10.0.0.8', 80, strict, named), undefined)
})

t.test('on this machine control URLs reach the configured applications, and no other port', async (t) => {
  const { control, callback } = policiesOf(
    parseConfig(
      `http: { listen: "127.0.0.1:8080" }
callbacks: { allowedHosts: [app.clinic.example] }
voice: { endpoints: [
  { id: a, controlUrl: "http://127.0.0.1:3000/voice", secret: whsec_voice_0123456789abcdef },
  { id: b, controlUrl: "http://localhost:3001/voice", fallbackUrl: "http://192.168.1.9:3002/", secret: whsec_voice_0123456789abcdef },
  { id: own, controlUrl: "http://127.0.0.1:8080/", secret: whsec_voice_0123456789abcdef } ] }`,
      '/srv/pbxd.yaml',
    ).config,
  )
  const good = [
    'http://127.0.0.1:3000/other',
    'http://localhost:3001/x',
    'http://127.0.0.1:3001/',
    'http://[::1]:3001/',
    'http://192.168.1.9:3002/x',
  ]
  for (const url of [...good, 'https://app.clinic.example/']) t.equal(reasonOf(url, control), 'ok', url)
  const bad = ['http://127.0.0.1:3002/', 'http://localhost:9/', 'http://[::1]:3000/', 'http://127.0.0.2:3000/', 'http://192.168.1.9:3003/']
  for (const url of [...bad, 'https://other.example/']) t.match(reasonOf(url, control), /not among the hosts|no voice endpoint/, url)
  t.match(reasonOf('http://127.0.0.1:8080/', control), /itself/, 'its own port is no application')
  t.match(reasonOf('http://127.0.0.1:3000/', callback), /not among the hosts/)
  t.match(addressRefusal('127.0.0.1', 3002, control, { protocol: 'https:', hostname: 'app.clinic.example' }), /no voice endpoint/)
})

t.test('the telephone system’s own ports are refused on every address of this machine', async (t) => {
  const policy = { ...local, ownPorts: [8080, 443] }
  const own = Object.values(networkInterfaces()).flatMap(
    (entries) => entries?.filter(({ family }) => family === 'IPv4').map(({ address }) => address) ?? [],
  )
  for (const host of ['127.0.0.1', '127.9.9.9', '[::1]', 'localhost', '[::ffff:127.0.0.1]', ...own]) {
    t.match(reasonOf(`http://${host}:8080/`, policy), /itself/, host)
    t.match(reasonOf(`https://${host}/`, policy), /itself/, host)
    t.equal(reasonOf(`http://${host}:8081/`, policy), 'ok', host)
  }
  t.equal(reasonOf('http://192.0.2.1:8080/', policy), 'ok')
})

t.test('URLs of another form are refused', async (t) => {
  const cases: [string, RegExp][] = [
    ['', /absolute/],
    ['/voice', /absolute/],
    ['//host/voice', /absolute/],
    ['ftp://host/', /http/],
    ['file:///etc/passwd', /http/],
    ['javascript:alert(1)', /http/],
    ['http://user@host/', /user name/],
    ['http://user:pw@host/', /user name/],
    ['http://host/a b', /space/],
    ['http://host/\r\nX: 1', /line break/],
    ['http://ho\tst/', /line break/],
    ['http:\\\\host\\', /backslash/],
    ['http://host:22/', /port 22/],
    ['http://host:5060/', /port 5060/],
    ['http://host:0/', /port 0/],
    ['http://host:70000/', /absolute/],
    [`http://host/${'x'.repeat(2048)}`, /longer than 2048/],
  ]
  for (const [url, expected] of cases) t.match(reasonOf(url), expected, JSON.stringify(url.slice(0, 40)))
})

t.test('where hosts are listed, only those are allowed', async (t) => {
  const policy = { ...strict, allowedHosts: ['App.example.com', '*.clinic.test', '10.0.0.5'] }
  for (const url of ['https://app.example.com/', 'https://a.b.clinic.test/', 'http://10.0.0.5/']) t.equal(reasonOf(url, policy), 'ok', url)
  for (const url of [
    'https://example.com/',
    'https://clinic.test/',
    'https://evilclinic.test/',
    'http://10.0.0.6/',
    'https://app.example.com.evil.test/',
  ])
    t.match(reasonOf(url, policy), /not among/, url)
})

t.test('no text makes the check throw, and what passes is an address that may be used', async () => {
  const host = fc.oneof(
    fc.ipV4(),
    fc.ipV4Extended(),
    fc.ipV6().map((ip) => `[${ip}]`),
    fc.domain(),
    fc.nat(2 ** 32 - 1).map(String),
  )
  fc.assert(
    fc.property(host, fc.nat(65535), (name, port) => {
      const checked = checkUrl(`http://${name}:${port}/`, strict)
      if (!checked.ok) return checked.reason.length > 0
      const literal = checked.url.hostname.replace(/^\[|\]$/g, '')
      return !/^[\d.]+$|:/.test(literal) || addressRefusal(literal, port, strict, https) === undefined
    }),
    { numRuns: 2000 },
  )
  fc.assert(fc.property(fc.string(), (text) => typeof checkUrl(text, strict).ok === 'boolean'))
  fc.assert(fc.property(fc.string(), (text) => typeof addressRefusal(text, 80, strict, https) === 'string' || /^[\d.]+$|:/.test(text)))
})

t.test('a mapped address is judged like the address inside it', async (t) => {
  fc.assert(
    fc.property(fc.ipV4(), fc.nat(65535), fc.boolean(), (ip, port, allowLoopback) => {
      const plain = addressRefusal(ip, port, { allowLoopback }, https)?.replace(/^\S+/, '')
      return ['::ffff:', '64:ff9b::'].every(
        (prefix) => addressRefusal(prefix + ip, port, { allowLoopback }, https)?.replace(/^\S+/, '') === plain,
      )
    }),
  )
  fc.assert(
    fc.property(fc.ipV6(), (ip) => {
      const groups = parseIPv6(ip)!
      return (
        groups.length === 8 &&
        groups.every((group) => group >= 0 && group <= 0xffff) &&
        JSON.stringify(parseIPv6(groups.map((group) => group.toString(16)).join(':'))) === JSON.stringify(groups)
      )
    }),
  )
  t.equal(unwrapIPv4(parseIPv6('::1')!), undefined)
  t.equal(unwrapIPv4(parseIPv6('::')!), undefined)
  t.equal(unwrapIPv4(parseIPv6('2002:102:304::')!), '1.2.3.4')
  t.equal(parseIPv6('1.2.3.4'), undefined)
})

t.test('connections', async (t) => {
  const server = createServer((_, response) => response.end('hello'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  t.teardown(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  /** Where the request ended: its status, or why it was not made. */
  const get = async (url: string, policy: AddressPolicy, resolve?: AgentOptions['resolve']): Promise<string> => {
    const agent = guardedAgent(policy, { connectTimeoutMs: 1000, ...(resolve === undefined ? {} : { resolve }) })
    try {
      const { statusCode, body } = await request(url, { dispatcher: agent })
      await body.dump()
      return String(statusCode)
    } catch (error) {
      return (error as Error).message
    } finally {
      await agent.destroy()
    }
  }
  const names =
    (...addresses: string[]): AgentOptions['resolve'] =>
    (_host, done) =>
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )

  t.test('go to addresses that may be used, and to no others, whatever the name says', async (t) => {
    t.equal(await get(`http://127.0.0.1:${port}/`, local), '200')
    t.match(await get(`http://127.0.0.1:${port}/`, strict), /allowLoopback/)
    t.equal(await get(`http://app.test:${port}/`, local, names('127.0.0.1')), '200')
    t.match(await get(`http://app.test:${port}/`, strict, names('127.0.0.1')), /allowLoopback/)
    t.match(await get(`http://app.test:${port}/`, local, names('169.254.169.254')), /link-local/)
    t.match(await get(`http://app.test:${port}/`, local, names('fe80::1%eth0')), /link-local/)
    t.match(await get(`http://app.test:${port}/`, local, names()), /no address/)
  })
  t.test('one permitted address does not open the refused ones beside it', async (t) => {
    t.equal(await get(`http://app.test:${port}/`, local, names('169.254.169.254', '127.0.0.1')), '200')
    t.match(await get(`http://app.test:${port}/`, strict, names('127.0.0.1', '169.254.1.1')), /allowLoopback|link-local/)
  })
  t.test('a name is resolved once for a connection', async (t) => {
    let asked = 0
    const changing: AgentOptions['resolve'] = (host, done) => names(asked++ === 0 ? '127.0.0.1' : '169.254.169.254')!(host, done)
    t.equal(await get(`http://app.test:${port}/`, local, changing), '200')
    t.equal(asked, 1)
  })
  t.test('a name that cannot be resolved is a failure, not a way round', async (t) => {
    t.match(await get(`http://app.test:${port}/`, local, (_, done) => done(new Error('SERVFAIL'), [])), /SERVFAIL/)
  })
})

/** A server that is busy: what its queue has no room for is not answered, and asked again by the kernel after a second. */
async function slowServer(t: Test): Promise<{ port: number; wake: () => void }> {
  const program =
    "const s = require('http').createServer((q, r) => r.end('ok')).listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(s.address().port))"
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const waiting: Socket[] = []
  t.teardown(() => {
    for (const socket of waiting) socket.destroy()
    child.kill('SIGKILL')
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const port = Number(line.toString())
  child.kill('SIGSTOP')
  for (let room = true; room;) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    waiting.push(socket)
    room = await Promise.race([once(socket, 'connect').then(() => true), pause(200, false)])
  }
  return { port, wake: () => void child.kill('SIGCONT') }
}

t.test('an application whose connection takes a second is reached, though its other address is dead', async (t) => {
  for (const others of [[], ['2001:db8::1'], ['::ffff:192.0.2.1']]) {
    const { port, wake } = await slowServer(t)
    const addresses = ['127.0.0.1', ...others].map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    const agent = guardedAgent(
      { ...local, allowPlainHttp: true },
      { connectTimeoutMs: 5000, resolve: (_name, done) => done(null, addresses) },
    )
    const answer = request(`http://app.example.com:${port}/`, { dispatcher: agent }).then(
      ({ statusCode }) => statusCode,
      (error: unknown) => error,
    )
    setTimeout(wake, 400)
    t.equal(await answer, 200, addresses.map(({ address }) => address).join(', '))
    await agent.close()
  }
})
