import t from 'tap'
import { existsSync } from 'node:fs'
import { utcOffsetMinutes } from '../../drivers/fax.ts'
import { FaxStory, Rig, skip } from './rig.ts'
import { SilentRelay } from './silent-relay.ts'
import { makePage, readTiff, samePixels, writeTiff } from './tiff.ts'
import { eventually } from '../harness/waiting.ts'

t.setTimeout(300_000)
t.jobs = 4

/** Modems take their time: a page of a few hundred rows is 20 s, a call that meets no fax machine 60 s. */
const slow = (): { timeout: number } => ({ timeout: 110_000 })

t.test('fax over SIP audio between two engines', { skip, jobs: 10, timeout: 120_000 }, async (t) => {
  const rig = new Rig()
  await rig.open()
  t.teardown(() => rig.close())

  t.test('an inbound call hears CNG, becomes a fax, and three pages arrive pixel by pixel', slow(), async (t) => {
    const pages = [1, 2, 3].map((seed) => makePage(150, seed))
    writeTiff(rig.file('three.tif'), pages)
    const { caller, callee } = await rig.call()
    const tones: string[] = []
    const receiving = new FaxStory()
    callee.leg.listenForTones((tone) => {
      tones.push(tone)
      callee.leg.receiveFax(rig.receiveRequest(rig.file('three-received.tif')), receiving)
    })
    const sending = new FaxStory()
    caller.leg.sendFax(rig.sendRequest(rig.file('three.tif')), sending)
    const sent = await sending.result
    t.match(sent, { code: 0, pages: 3, bitRate: 14400, ecm: true, resolution: 'fine', transport: 'sip-audio', remoteId: '+1 555 200' })
    t.equal(sent.unconfirmedLastPage, false)
    t.match(await receiving.result, { code: 0, pages: 3, bitRate: 14400, ecm: true, resolution: 'fine', remoteId: '+1 555 100' })
    t.same(tones, ['cng'])
    t.equal(sending.phases.join(' '), 'negotiating training page confirmed page confirmed page confirmed')
    const received = readTiff(rig.file('three-received.tif'))
    t.equal(received.length, 3)
    for (const [i, page] of pages.entries()) t.ok(samePixels(received[i], page), `page ${i + 1}`)
    t.match(
      sending.frames.map((f) => `${f.received ? '<' : '>'}${f.name}`),
      ['<CSI', '<DIS', '>TSI', '>DCS', '<CFR'],
    )
    caller.leg.hangup()
    await caller.seen('ended')
  })

  t.test('a wideband call turns to G.711, and goes on with the second page', slow(), async (t) => {
    const pages = [4, 5].map((seed) => makePage(120, seed))
    writeTiff(rig.file('two.tif'), pages)
    const { caller, callee } = await rig.call({ fax: false, trunk: 'wide' })
    t.match(await caller.seen('answered'), { codec: 'G722' })
    const receiving = new FaxStory()
    const sending = new FaxStory()
    callee.leg.receiveFax(rig.receiveRequest(rig.file('two-received.tif')), receiving)
    caller.leg.sendFax(rig.sendRequest(rig.file('two.tif'), { firstPage: 1 }), sending)
    t.match(await sending.result, { code: 0, pages: 1 })
    t.match(await receiving.result, { code: 0, pages: 1 })
    const received = readTiff(rig.file('two-received.tif'))
    t.equal(received.length, 1)
    t.ok(samePixels(received[0], pages[1]!))
    callee.leg.hangup()
  })

  t.test('a call that is hung up in the second page keeps the first one', slow(), async (t) => {
    const pages = [6, 7].map((seed) => makePage(200, seed))
    writeTiff(rig.file('broken.tif'), pages)
    const { caller, callee } = await rig.call()
    const receiving = new FaxStory()
    const sending = new FaxStory()
    callee.leg.receiveFax(rig.receiveRequest(rig.file('broken-received.tif')), receiving)
    caller.leg.sendFax(rig.sendRequest(rig.file('broken.tif')), sending)
    await sending.reached('page', 1)
    callee.leg.hangup()
    t.match(await sending.result, { code: 49, pages: 1 })
    t.match(await receiving.result, { code: 49, pages: 1 })
    await Promise.all([caller.seen('ended'), callee.seen('ended')])
    const received = readTiff(rig.file('broken-received.tif'))
    t.ok(samePixels(received[0], pages[0]!))
    t.equal(sending.ends + receiving.ends, 2)
    const late = new FaxStory()
    caller.leg.sendFax(rig.sendRequest(rig.file('broken.tif')), late)
    t.match(await late.result, { code: 49, pages: 0 })
  })

  t.test('stop() says DCN to the far end', slow(), async (t) => {
    writeTiff(rig.file('stopped.tif'), [makePage(1500, 8)])
    const { caller, callee } = await rig.call()
    const receiving = new FaxStory()
    const sending = new FaxStory()
    callee.leg.receiveFax(rig.receiveRequest(rig.file('stopped-received.tif')), receiving)
    const session = caller.leg.sendFax(rig.sendRequest(rig.file('stopped.tif')), sending)
    await sending.reached('page', 0)
    session.stop()
    t.match(await sending.result, { code: 7, pages: 0 })
    const got = await receiving.result
    t.not(got.code, 0)
    t.ok(
      receiving.frames.some((f) => f.received && f.name === 'DCN'),
      'DCN was heard',
    )
    caller.leg.hangup()
  })

  t.test('a voice answers: no fax, and the call can still speak', slow(), async (t) => {
    writeTiff(rig.file('voice.tif'), [makePage(100, 9)])
    const { caller, callee } = await rig.call()
    const sending = new FaxStory()
    const tones: string[] = []
    callee.leg.listenForTones((tone) => tones.push(tone))
    for (let i = 0; i < 60; i++) callee.leg.audio!.play(i, { kind: 'tone', hz: [300 + 17 * i, 900 - 7 * i], ms: 1000 })
    caller.leg.sendFax(rig.sendRequest(rig.file('voice.tif')), sending)
    t.match(await sending.result, { code: 2, pages: 0 })
    t.same(sending.phases, [])
    t.same(tones, ['cng'])
    caller.leg.audio!.play(1, { kind: 'tone', hz: [440], ms: 200 })
    t.match(await caller.seen('played'), { completed: true })
    caller.leg.hangup()
  })

  t.test('a file that cannot be read is our own fault, and said so', slow(), async (t) => {
    const { caller, callee } = await rig.call()
    const receiving = new FaxStory()
    const sending = new FaxStory()
    callee.leg.receiveFax(rig.receiveRequest(rig.file('none-received.tif')), receiving)
    caller.leg.sendFax(rig.sendRequest(rig.file('none.tif')), sending)
    const { code } = await sending.result
    t.ok(code >= 40 && code <= 47, `code ${code}`)
    caller.leg.hangup()
    await receiving.result
    t.notOk(existsSync(rig.file('none.tif')))
  })

  t.test('T.38: the receiver asks for it, pages arrive pixel by pixel', slow(), async (t) => {
    const pages = [10, 11].map((seed) => makePage(150, seed))
    writeTiff(rig.file('t38.tif'), pages)
    const { caller, callee } = await rig.call()
    const receiving = new FaxStory()
    const sending = new FaxStory()
    callee.leg.receiveFax(rig.receiveRequest(rig.file('t38-received.tif'), { t38: true }), receiving)
    caller.leg.sendFax(rig.sendRequest(rig.file('t38.tif'), { t38: true }), sending)
    t.match(await sending.result, { code: 0, pages: 2, transport: 't38', remoteId: '+1 555 200', ecm: true })
    t.match(await receiving.result, { code: 0, pages: 2, transport: 't38', remoteId: '+1 555 100' })
    const received = readTiff(rig.file('t38-received.tif'))
    t.equal(received.length, 2)
    for (const [i, page] of pages.entries()) t.ok(samePixels(received[i], page), `page ${i + 1}`)
    caller.leg.hangup()
    await Promise.all([caller.seen('ended'), callee.seen('ended')])
    t.same(
      [...caller.events, ...callee.events].filter((e) => e.type === 'held' || e.type === 'resumed'),
      [],
    )
  })

  t.test('T.38 that the sender does not want is refused, and the fax goes on over audio', slow(), async (t) => {
    const pages = [makePage(150, 12)]
    writeTiff(rig.file('refused.tif'), pages)
    const { caller, callee } = await rig.call()
    const receiving = new FaxStory()
    const sending = new FaxStory()
    callee.leg.receiveFax(rig.receiveRequest(rig.file('refused-received.tif'), { t38: true }), receiving)
    caller.leg.sendFax(rig.sendRequest(rig.file('refused.tif')), sending)
    t.match(await sending.result, { code: 0, pages: 1, transport: 'sip-audio' })
    t.match(await receiving.result, { code: 0, pages: 1, transport: 'sip-audio' })
    t.ok(samePixels(readTiff(rig.file('refused-received.tif'))[0], pages[0]!))
    t.ok(rig.logged.some((line) => /refused T\.38 with 488/.test(line)))
    caller.leg.hangup()
  })

  t.test('other calls keep their time meanwhile', slow(), async (t) => {
    const { caller, callee } = await rig.call({ fax: false })
    const heard: number[] = []
    callee.leg.onEvent = (event) => event.type === 'audio' && heard.push(event.timestampMs)
    callee.leg.audio!.tap(true)
    for (let i = 0; i < 30; i++) caller.leg.audio!.play(i, { kind: 'tone', hz: [440], ms: 1000 })
    await eventually('half a minute is heard', () => heard.length >= 50 * 30, 45_000)
    t.ok(heard.every((at, i) => i === 0 || at - heard[i - 1]! === 20))
    t.comment(`tick lateness at most ${rig.lateness} ms`)
    caller.leg.hangup()
  })
})

for (const comfort of [false, true]) {
  const how = comfort ? 'only comfort noise' : 'no RTP'
  t.test(`a far end that sends ${how} while it is silent, and listens longer than missing RTP is borne`, { skip, ...slow() }, async (t) => {
    const relay = await SilentRelay.open(comfort)
    const rig = new Rig()
    await rig.open({ relay, mediaTimeoutSeconds: 6 })
    t.teardown(async () => {
      await rig.close()
      await relay.close()
    })
    const pages = [makePage(300, 1), makePage(60, 2)]
    writeTiff(rig.file('silent.tif'), pages)
    const { caller, callee } = await rig.call()
    const receiving = new FaxStory()
    const sending = new FaxStory()
    callee.leg.receiveFax(rig.receiveRequest(rig.file('silent-received.tif')), receiving)
    caller.leg.sendFax(rig.sendRequest(rig.file('silent.tif')), sending)
    t.match(await sending.result, { code: 0, pages: 2, bitRate: 14400, ecm: true })
    t.match(await receiving.result, { code: 0, pages: 2, badRows: 0 })
    const received = readTiff(rig.file('silent-received.tif'))
    for (const [i, page] of pages.entries()) t.ok(samePixels(received[i], page), `page ${i + 1}`)
    await relay.count()
    t.ok(relay.dropped > relay.passed / 2, `${relay.dropped} packets were not sent, ${relay.passed} were`)
    caller.leg.hangup()
    await Promise.all([caller.seen('ended'), callee.seen('ended')])
  })
}

t.test('an engine that dies in the midst of a fax ends it, and leaves the pages that were confirmed', { skip, ...slow() }, async (t) => {
  const rig = new Rig()
  await rig.open()
  t.teardown(() => rig.close())
  const pages = [makePage(150, 1), makePage(600, 2)]
  writeTiff(rig.file('lost.tif'), pages)
  const { caller, callee } = await rig.call()
  const receiving = new FaxStory()
  const sending = new FaxStory()
  callee.leg.receiveFax(rig.receiveRequest(rig.file('lost-received.tif')), receiving)
  caller.leg.sendFax(rig.sendRequest(rig.file('lost.tif')), sending)
  await sending.reached('page', 1)
  const second = new FaxStory()
  caller.leg.sendFax(rig.sendRequest(rig.file('lost.tif')), second)
  t.match(await second.result, { code: 7, text: 'This call already carries a fax' })
  process.kill(Number(rig.callee.health().facts['pid']), 'SIGKILL')
  t.match(await receiving.result, { code: 49, pages: 1, remoteId: '+1 555 100' })
  t.ok(samePixels(readTiff(rig.file('lost-received.tif'))[0], pages[0]!))
  caller.leg.hangup()
  t.match(await sending.result, { code: 49, pages: 1, phase: 'page', remoteId: '+1 555 200' })
  t.equal(sending.ends + receiving.ends, 2)
})

t.test('the zone of the header line is its offset at the moment of the call', async (t) => {
  t.equal(utcOffsetMinutes('Europe/Berlin', new Date('2026-07-01T12:00:00Z')), 120)
  t.equal(utcOffsetMinutes('Europe/Berlin', new Date('2026-12-01T12:00:00Z')), 60)
  t.equal(utcOffsetMinutes('America/St_Johns', new Date('2026-12-01T12:00:00Z')), -210)
  t.equal(utcOffsetMinutes('UTC', new Date()), 0)
  t.equal(utcOffsetMinutes('Nowhere/City', new Date()), 0)
})
