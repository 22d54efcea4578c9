/** Phones that fetch their settings: by code, by MAC address, by their token; what they get works, and who else asks gets nothing. */
import { request } from 'node:http'
import t from 'tap'
import { Baresip } from '../harness/baresip.ts'
import { Scene } from '../harness/scene.ts'

const odd = 'Front "desk" <&> O\'Brien; two'
const scene = await Scene.open({
  settings: (base) => {
    base['extensions'] = [
      { number: '101', name: odd, password: 'a-long-password' },
      { number: '102', name: 'Nurse', password: 'another-long-password' },
      { number: '103', name: 'Desk\nacross', password: 'a;password-with-semicolon' },
    ]
  },
})
const { daemon } = scene
t.setTimeout(180_000)
t.teardown(() => scene.close())

interface Got {
  readonly status: number
  readonly text: string
  readonly cache: string
}

/** As a phone asks: from an address of its own, with its User-Agent. */
function fetched(path: string, userAgent: string, localAddress = '127.0.0.1'): Promise<Got> {
  return new Promise((resolve, reject) => {
    request(`${daemon.http}${path}`, { localAddress, headers: { 'user-agent': userAgent }, agent: false }, async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      resolve({ status: response.statusCode ?? 0, text, cache: response.headers['cache-control'] ?? '' })
    })
      .once('error', reject)
      .end()
  })
}

const pathOf = (url: string): string => new URL(url).pathname
const json = async (...words: string[]) => {
  const { code, out, error } = await daemon.pbx('phones', ...words, '--json')
  t.equal(code, 0, error)
  return JSON.parse(out)
}
const yealink = 'Yealink SIP-T46U 108.86.0.20 80:5e:c0:12:34:56'

t.test('baresip fetches its accounts with a code, and registers over TLS', async (t) => {
  const awaited = await json('add', '101')
  t.match(awaited, { phone: { extension: '101', kind: null }, url: new RegExp(`/provision/${awaited.code}/$`) })
  t.match(awaited.notes.join(), /http\.tls is not set.*SIP listens on this machine only/)
  const path = pathOf(awaited.url)
  const accounts = await fetched(`${path}accounts`, 'baresip/1.0')
  t.equal(accounts.status, 200, accounts.text)
  t.equal(accounts.cache, 'no-store')
  t.match((await fetched(`${path}contacts`, 'baresip/1.0')).text, /^"Nurse" <sip:102@127\.0\.0\.1:\d+;transport=tls>;presence=p2p$/m)
  const phone = scene.keep(
    await Baresip.start({ accounts: accounts.text, registrar: '', user: '', password: '', transport: 'tls', mediaEncryption: 'srtp-mand' }),
  )
  await phone.until('REGISTER_OK')
  t.match(JSON.parse((await daemon.pbx('extensions', '101', '--json')).out), [{ state: 'registered' }])
  t.match(await json('list'), { phones: [{ extension: '101', kind: 'baresip', address: '127.0.0.1', mac: null }] })

  t.equal((await fetched(`${path}accounts`, 'baresip/1.0', '127.0.0.2')).status, 404, 'who came first keeps others out')
  const audit = (await daemon.pbx('audit', 'list', '--json')).out
  t.match(audit, /"phone:101".*"phone.provision"|"phone.provision".*"phone:101"/s)
})

t.test('a desk phone is known by its MAC address while it is awaited, and then comes again by a token', async (t) => {
  t.equal((await fetched('/provision/805ec0123456.cfg', yealink, '127.0.0.3')).status, 404, 'nobody has heard of it')
  t.match((await json('list')).asked, [{ mac: '805ec0123456', kind: 'yealink', address: '127.0.0.3' }])
  t.match((await daemon.pbx('phones')).out, /Unknown phones that asked for settings.*pbx phones add EXTENSION --mac 805ec0123456/s)

  const { phone } = await json('add', '102', '--mac', '80:5E:C0:12:34:56', '--keys', '101,701,*45')
  t.same((await json('list')).asked, [])
  t.equal((await fetched('/provision/y000000000108.cfg', yealink, '127.0.0.3')).status, 404, 'there is no file for all of its model')
  const { status, text } = await fetched('/provision/805ec0123456.cfg', yealink, '127.0.0.3')
  t.equal(status, 200, text)
  t.match(text, /^#!version:1\.0\.0\.1\n/)
  for (const line of [
    'account.1.password = another-long-password',
    'account.1.sip_server.1.transport_type = 2',
    'account.1.srtp_encryption = 2',
    'voice_mail.number.1 = *97',
    'linekey.2.value = 101',
    "linekey.2.label = Front desk & O'Brien two",
    'linekey.3.value = 701',
    'linekey.4.label = Queue',
    'local_time.time_zone = -5',
    'local_time.start_time = 3/2/7/2',
    'local_time.end_time = 11/1/7/2',
    `static.security.user_password = admin:${phone.adminPassword}`,
  ])
    t.ok(text.split('\n').includes(line), line)
  t.equal((await fetched('/provision/805ec0123456.cfg', yealink, '127.0.0.4')).status, 404, 'another that says it is that phone')

  const url = /^static\.auto_provision\.server\.url = (.*)$/m.exec(text)?.[1] ?? ''
  t.match(url, new RegExp(`/provision/${phone.id}\\.[\\w-]{32}/$`))
  t.equal((await fetched(`${pathOf(url)}805ec0123456.cfg`, yealink, '127.0.0.9')).status, 200, 'wherever it is by then')
  t.equal((await fetched(`${pathOf(url)}805ec0999999.cfg`, yealink)).status, 404, 'the token is that of one phone')
  t.equal((await fetched(`${pathOf(url).slice(0, -2)}A/805ec0123456.cfg`, yealink)).status, 404)

  await daemon.kill()
  await daemon.start()
  t.equal((await fetched(`${pathOf(url)}805ec0123456.cfg`, yealink)).status, 200, 'after kill -9, too')
  t.match(await json('remove', '102'), { id: phone.id })
  t.equal((await fetched(`${pathOf(url)}805ec0123456.cfg`, yealink)).status, 404)
})

t.test('each kind gets a file in which a name with marks is a name', async (t) => {
  const agents = {
    grandstream: ['Grandstream Model HW GRP2614 SW 1.0.5.15 DevId c074ad0b63ee', 'cfgc074ad0b63ee.xml'],
    snom: ['Mozilla/4.0 (compatible; snomD785-SIP 10.1.54.13 000413AABBCC)', 'snomD785-000413AABBCC.htm'],
    polycom: ['FileTransport PolycomVVX-VVX_450-UA/6.4.0 Type/Application', '64167f112233-pbxd.cfg'],
    fanvil: ['Fanvil X5U 2.4.10 0c383e112233', '0c383e112233.cfg'],
    linphone: ['LinphoneiOS/5.2', 'linphone.xml'],
  }
  for (const [kind, [agent = '', file = '']] of Object.entries(agents)) {
    const { url, phone } = await json('add', '101', '--kind', kind)
    const { status, text } = await fetched(`${pathOf(url)}${file}`, agent)
    t.equal(status, 200, `${kind}: ${text}`)
    t.match(text, 'a-long-password', kind)
    t.match(text, 'Front desk &amp; O&apos;Brien two', kind)
    t.equal(text.split('<').length, text.split('>').length, `${kind}: as many marks open as close`)
    t.notMatch(text, '{{', kind)
    const settings = await json('settings', phone.id)
    t.equal(settings.kind, kind)
    await json('remove', phone.id)
  }
})

t.test('a phone that shows nothing gets what is entered by hand', async (t) => {
  const { code, out } = await daemon.pbx('phones', 'add', '103', '--qr')
  t.equal(code, 0)
  t.match(out, /█/, 'a QR code')
  const url = /https?:\S+/.exec(out)?.[0] ?? ''
  t.match((await fetched(pathOf(url), 'curl/8')).text, /Password {20}a;password-with-semicolon\n/)
  t.match(
    (await json('list')).phones.filter((one: { extension: string }) => one.extension === '103'),
    [{ kind: null }],
    'whoever looks is no phone',
  )
  await json('code', '103')
  t.equal((await fetched(pathOf(url), 'curl/8')).status, 404, 'a new code ends the one of before')
})

t.test('what cannot be is refused with its reason', async (t) => {
  const refused = async (...words: string[]) => (await daemon.pbx('phones', ...words)).error
  t.match(await refused('add', '199'), /There is no extension 199/)
  t.match(await refused('add', '101', '--kind', 'tin-can'), /no kind "tin-can"; known are baresip, fanvil/)
  t.match(await refused('add', '101', '--minutes', '99999'), /minutes/)
  t.match(await refused('code', 'zzz'), /There is no phone zzz/)
  const { url } = await json('add', '103', '--kind', 'baresip')
  t.match((await fetched(pathOf(url), 'baresip/1.0')).text, /password of 103 has a character/)
  const codes = await Promise.all(Array.from({ length: 130 }, (_, at) => fetched(`/provision/code${1000 + at}/`, 'curl/8', '127.0.0.7')))
  t.ok(
    codes.some(({ status }) => status === 429),
    'who tries codes is slowed down',
  )
})

t.test('behind a proxy each device is itself, and one that is not told apart gets nothing', async (t) => {
  const behind = await Scene.open({
    settings: (base) => {
      base['http'] = { ...(base['http'] as object), trustedProxies: ['127.0.0.1'], names: ['pbx.clinic.example'] }
    },
  })
  t.teardown(() => behind.close())
  const got = (box: Scene, path: string, headers: Record<string, string>, method = 'GET') =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const asked = request(
        `${box.daemon.http}${path}`,
        { method, headers: { 'user-agent': yealink, ...headers }, agent: false },
        async (response) => {
          let text = ''
          for await (const chunk of response) text += chunk
          resolve({ status: response.statusCode ?? 0, text })
        },
      )
      asked.once('error', reject).end()
    })
  const awaited = async (box: Scene) => JSON.parse((await box.daemon.pbx('phones', 'add', '101', '--json')).out)
  const first = { 'x-forwarded-for': '198.51.100.7', 'x-forwarded-proto': 'https', host: 'pbx.clinic.example:8443' }
  const other = { ...first, 'x-forwarded-for': '198.51.100.7, 198.51.100.8' }

  const { code, phone } = await awaited(behind)
  const path = `/provision/${code}/805ec0123456.cfg`
  t.equal((await got(behind, path, first, 'HEAD')).status, 200, 'who only looks spends no code')
  t.match(await got(behind, path, { 'x-forwarded-proto': 'https' }), { status: 403, text: /X-Forwarded-For/ }, 'the proxy names nobody')
  t.match(await got(behind, path, { 'x-forwarded-for': 'unknown' }), { status: 403 })
  t.match(await got(behind, path, { ...first, 'x-forwarded-proto': 'http' }), { status: 403, text: /TLS/ })
  const { status, text } = await got(behind, path, first)
  t.equal(status, 200, text)
  const url = /^static\.auto_provision\.server\.url = (.*)$/m.exec(text)?.[1] ?? ''
  t.match(url, new RegExp(`^https://pbx\\.clinic\\.example:8443/provision/${phone.id}\\.`), 'it comes again through the proxy')
  t.equal((await got(behind, path, other)).status, 404, 'another device')
  t.equal((await got(behind, path, first)).status, 404, 'the code is spent')
  t.equal((await got(behind, `${pathOf(url)}805ec0123456.cfg`, other)).status, 200, 'by its token, wherever it is by then')
  t.match((await behind.daemon.pbx('audit', 'list', '--json')).out, /198\.51\.100\.7/)

  const direct = await awaited(scene)
  for (const headers of [first, { forwarded: 'for=198.51.100.7' }, { 'x-forwarded-for': '127.0.0.1' }])
    t.match(await got(scene, `/provision/${direct.code}/805ec0123456.cfg`, headers), { status: 403, text: /http\.trustedProxies/ })
  t.match(
    await got(scene, `/provision/${direct.code}/805ec0123456.cfg`, { host: 'evil.example' }),
    { status: 403 },
    'a page in a browser here',
  )
  for (const key of [
    'é',
    'abcdef.é',
    `${direct.phone.id}.${'é'.repeat(32)}`,
    'a.b.c',
    'x'.repeat(3000),
    '__proto__',
    'constructor.constructor',
  ])
    t.equal((await got(scene, `/provision/${encodeURIComponent(key)}/805ec0123456.cfg`, {})).status, 404, key.slice(0, 20))
})
