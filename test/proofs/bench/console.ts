/** The pages for people: what they weigh, how soon they are there, how soon they know, and what 50 open browsers cost the calls. */
import { request } from 'node:http'
import { once } from 'node:events'
import type { Page } from 'playwright-core'
import { residentKb } from '../../harness/processes.ts'
import { pause, type Scene } from '../../harness/scene.ts'
import { found } from '../../harness/waiting.ts'
import { Browser, password } from '../../people/stage.ts'
import { Clinic } from '../pictures/clinic.ts'
import { used } from './house/cost.ts'
import { atLeast, atMost, describe, spread, type Measurement, type Row } from './measure.ts'
import { hold, Meter, stage, type Stage } from './stage.ts'

const browsers = 50
const calls = 20
const seconds = 10
const changes = 60
const manyCalls = 10_000

interface Loaded {
  readonly requests: number
  readonly paths: string
  readonly kilobytes: number
  readonly paintMs: number
  readonly usableMs: number
}

/** A page in a window, until what people look for is there. */
async function load(page: Page, path: string, shows: string): Promise<Loaded> {
  const traffic = await page.context().newCDPSession(page)
  const urls = new Map<string, string>()
  const bytes = new Map<string, number>()
  traffic.on('Network.requestWillBeSent', ({ requestId, request: { url } }) => urls.set(requestId, new URL(url).pathname))
  traffic.on('Network.requestServedFromCache', ({ requestId }) => urls.delete(requestId))
  // A stream of events has no end: of it the head counts.
  traffic.on('Network.responseReceived', ({ requestId, response }) => {
    if (response.fromDiskCache === true) urls.delete(requestId)
    else bytes.set(requestId, response.encodedDataLength)
  })
  traffic.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => bytes.set(requestId, encodedDataLength))
  await traffic.send('Network.enable')
  const began = performance.now()
  await page.goto(path, { waitUntil: 'commit' })
  await page.getByText(shows).first().waitFor()
  const usableMs = performance.now() - began
  await pause(1500)
  const paintMs = await page.evaluate<number>('performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN')
  await traffic.detach()
  const weighed = [...urls].map(([id, path]) => ({ path, kilobytes: (bytes.get(id) ?? 0) / 1000 }))
  return {
    requests: weighed.filter(({ path }) => !/\/icon\./.test(path)).length,
    paths: weighed.map(({ path, kilobytes }) => `${path} ${kilobytes.toFixed(1)}`).join(', '),
    kilobytes: weighed.reduce((sum, one) => sum + one.kilobytes, 0),
    paintMs,
    usableMs,
  }
}

/** From the request of a colleague to the word on the Desk of another, milliseconds. */
async function shownDelays(clinic: Clinic, page: Page): Promise<number[]> {
  const { daemon } = clinic
  await page.goto('/desk')
  await page.getByText('Nurse station').first().waitFor()
  await page.evaluate(`window.want = ''
    window.at = 0
    new MutationObserver(() => {
      const row = [...document.querySelectorAll('li, tr')].find((one) => one.textContent.includes('Nurse station'))
      if (window.at === 0 && row?.textContent.includes(window.want)) window.at = performance.timeOrigin + performance.now()
    }).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true })`)
  const times: number[] = []
  for (let n = 0; n < changes; n++) {
    await page.evaluate(`window.want = '${n % 2 === 0 ? 'do not disturb' : 'free'}'; window.at = 0`)
    const began = performance.timeOrigin + performance.now()
    await daemon.api('POST', '/api/extensions/102', { doNotDisturb: n % 2 === 0 })
    const at = await found('the change on the Desk', async () => (await page.evaluate<number>('window.at')) || undefined, 10_000)
    times.push(at - began)
  }
  return times
}

async function pictures(clinic: Clinic, browser: Browser): Promise<{ first: number[]; again: number[] }> {
  const faxes = await browser.ask('GET', '/api/inbox/faxes?since=0')
  const times = { first: [] as number[], again: [] as number[] }
  for (let width = 400; width < 1600; width += 60)
    for (const kind of ['first', 'again'] as const) {
      const began = performance.now()
      const answer = await fetch(`${clinic.daemon.http}/api/inbox/faxes/${faxes.json.items[0].id}/pages/1.png?width=${width}`, {
        headers: { cookie: `pbx=${browser.cookies.get('pbx')}` },
      })
      await answer.arrayBuffer()
      times[kind].push(performance.now() - began)
    }
  return times
}

async function pageRows(): Promise<Row[]> {
  const clinic = await Clinic.open()
  try {
    await clinic.phone('102')
    const { cookie, browser } = await clinic.person('maria', 'Maria Lopez', ['desk'], {
      extension: '101',
      mailboxes: ['101'],
      queues: ['front'],
    })
    const context = await clinic.window(cookie)
    const page = await context.newPage()
    const cold = await load(page, '/desk', 'Ruth Abara')
    const warm = await load(page, '/desk', 'Ruth Abara')
    const others: [string, Loaded][] = []
    for (const [path, shows] of [
      ['/faxes', 'Lakeside Imaging'],
      ['/voicemail', 'Ruth Abara'],
      ['/texts', 'Gloria Chen'],
    ] as const) {
      const fresh = await clinic.window(cookie)
      others.push([path, await load(await fresh.newPage(), path, shows)])
      await fresh.close()
    }
    const heaviest = others.toSorted(([, a], [, b]) => b.kilobytes - a.kilobytes)[0]!
    const delays = spread(await shownDelays(clinic, page))
    const drawn = await pictures(clinic, browser)
    const began = performance.now()
    await browser.signIn('maria')
    const signInMs = performance.now() - began
    return [
      atMost('Desk, cold: requests, besides the one for the icon of the window', 5, '', cold.requests, cold.paths),
      atMost('Desk, cold: bytes on the wire', 90, 'KB', cold.kilobytes),
      atMost('Desk, again: bytes on the wire', 10, 'KB', warm.kilobytes, warm.paths),
      atMost('Desk, cold: first paint', 800, 'ms', cold.paintMs),
      atMost('Desk, cold: usable', 1200, 'ms', cold.usableMs),
      atMost(
        'heaviest other page, cold',
        180,
        'KB',
        heaviest[1].kilobytes,
        others.map(([path, one]) => `${path} ${one.kilobytes.toFixed(0)}`).join(', '),
      ),
      atMost('change -> document, p95', 250, 'ms', delays.p95, describe(delays)),
      atMost('change -> document, p99', 600, 'ms', delays.p99),
      atMost('picture of a page of a fax, first, p95', 600, 'ms', spread(drawn.first).p95, describe(spread(drawn.first))),
      atMost('the same again, p95', 30, 'ms', spread(drawn.again).p95, describe(spread(drawn.again))),
      atMost('sign-in', 1000, 'ms', signInMs),
    ]
  } finally {
    await clinic.close()
  }
}

/** A list of many calls in a window: how it scrolls, and how soon a filter shows what fits. */
async function callRows(): Promise<Row[]> {
  const clinic = await Clinic.open({ calls: manyCalls })
  try {
    const { cookie } = await clinic.person('mona', 'Mona Diaz', ['manager'], { extension: '101' })
    const page = await (await clinic.window(cookie, { viewport: { width: 1280, height: 800 } })).newPage()
    await page.goto('/calls?list=all')
    await page.locator('tr[data-row]').first().waitFor()
    const { frames, seconds: took, most, last } = await page.evaluate<Record<'frames' | 'seconds' | 'most' | 'last', number>>(scrolled)
    const times: number[] = []
    for (const change of looks) times.push(await page.evaluate<number>(`(${filtered})(${JSON.stringify(change)})`))
    const filter = spread(times)
    return [
      atMost(`${manyCalls} calls: rows in the document, scrolling`, 80, '', most, `down to row ${last}`),
      atLeast('the same: frames', 50, '/s', frames / took),
      atMost('filter of calls -> document, p95', 300, 'ms', filter.p95, describe(filter)),
    ]
  } finally {
    await clinic.close()
  }
}

/** A step a frame, from the first call to the last. */
const scrolled = `(async () => {
  const body = document.querySelector('.call-list > .body')
  const frame = () => new Promise(requestAnimationFrame)
  const seen = { frames: 0, seconds: 0, most: 0, last: 0 }
  const began = performance.now()
  for (let still = 0; still < 120 && performance.now() - began < 60000; ) {
    const before = body.scrollTop
    body.scrollTop += 400
    await frame()
    seen.frames += 1
    still = body.scrollTop === before ? still + 1 : 0
    seen.most = Math.max(seen.most, document.querySelectorAll('tr').length)
  }
  seen.seconds = (performance.now() - began) / 1000
  seen.last = Math.max(...[...document.querySelectorAll('tr[data-row]')].map((row) => Number(row.ariaRowIndex)))
  return seen
})()`

const looks = Array.from({ length: 60 }, (_, n): readonly [field: string, value: string] => {
  if (n % 3 === 0) return ['Outcome', ['voicemail', 'answered', 'no-answer', ''][(n / 3) % 4]!]
  if (n % 3 === 1) return ['Part of a number or a name', ['okafor', '555123', 'nobody', ''][((n - 1) / 3) % 4]!]
  return ['Colleague', ['101', '102', ''][((n - 2) / 3) % 3]!]
})

/** Milliseconds from the change of a field to the rows that fit. */
const filtered = `async ([name, value]) => {
  const field = [...document.querySelectorAll('.filters label')].find((label) => label.textContent.includes(name)).control
  const list = document.querySelector('.call-list')
  const began = performance.now()
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value').set.call(field, value)
  field.dispatchEvent(new Event(field.localName === 'select' ? 'change' : 'input', { bubbles: true }))
  do await new Promise(requestAnimationFrame)
  while (list.classList.contains('looking'))
  return performance.now() - began
}`

/** Streams of so many people; what closes them. */
async function streams({ daemon }: Scene): Promise<() => void> {
  const open: (() => void)[] = []
  for (let n = 0; n < browsers; n++) {
    const { body } = await daemon.api('POST', '/api/people', { login: `desk-${n}`, name: `Desk ${n}`, roles: ['desk'] })
    const { body: slip } = await daemon.api('POST', `/api/people/${body.personId}/invite`)
    const browser = new Browser({ url: daemon.http }, { 'sec-fetch-site': 'same-origin' })
    const { status, text } = await browser.ask('POST', '/api/session/setup', { code: slip.code, password })
    if (status !== 200) throw new Error(`${status} ${text}`)
    const stream = request(`${daemon.http}/api/live`, { headers: { cookie: `pbx=${browser.cookies.get('pbx')}` }, agent: false })
    stream.end()
    const [answer] = await once(stream, 'response')
    if (answer.statusCode !== 200) throw new Error(`a stream: ${answer.statusCode}`)
    answer.resume()
    open.push(() => stream.destroy())
  }
  return () => open.forEach((close) => close())
}

async function streamRows(open: Stage): Promise<Row[]> {
  const scene = await open()
  const meter = await Meter.open(calls)
  try {
    scene.app.script = () => [{ say: { text: 'Please hold the line.', loop: 10 } }, { gather: { timeout: 120 } }]
    const load = await hold(scene, meter, calls)
    const heard = async () => {
      await meter.start()
      const share = await used(scene, seconds)
      return { ...(await meter.report()), share }
    }
    const without = await heard()
    const memory = residentKb(scene.daemon.pid)
    const close = await streams(scene)
    await pause(2000)
    const beside = await heard()
    const grown = (residentKb(scene.daemon.pid) - memory) / 1024
    close()
    await load.close()
    return [
      atMost(
        `${browsers} streams next to ${calls} calls: the daemon`,
        3,
        '% of a core',
        Math.max(0, beside.share.daemon - without.share.daemon),
      ),
      atMost('their memory', 40, 'MB', Math.max(0, grown)),
      atMost(
        'RTP interval deviation of the calls, p99',
        2,
        'ms',
        beside.p99,
        `without browsers ${without.p99.toFixed(2)}; ${beside.packets} packets, ${beside.lost} lost`,
      ),
    ]
  } finally {
    meter.close()
    await scene.close()
  }
}

export const consolePages: Measurement = {
  name: 'console',
  title: `The pages for people; ${browsers} browsers next to ${calls} calls`,
  run: async () => [...(await pageRows()), ...(await callRows()), ...(await streamRows(stage))],
}
