/** The folder that the daemon shares with an engine of another user: what lies where, and what an engine that was taken over can do with it. */
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import t, { type Test } from 'tap'
import { spoolOf } from '../../drivers/sip/spool.ts'
import { configuration } from './stage.ts'

function rig(t: Test) {
  const home = t.testdir({ recordings: {}, fax: { in: {}, out: {} }, store: { 'store.mdb': 'of patients' } })
  const spool = join(home, 'spool')
  const logged: string[] = []
  const log = (_: object, text: string): void => void logged.push(text)
  const shared = spoolOf({ spool, home }, { debug: log, info: log, warn: log, error: log })
  return { home, spool, shared, logged, store: join(home, 'store/store.mdb'), mode: (file: string) => statSync(file).mode & 0o777 }
}

t.test('a recording grows at its place, and is the daemon’s alone when it is over', async (t) => {
  const { home, spool, shared, mode } = rig(t)
  const file = join(home, 'recordings/a.wav')
  const name = shared.toRecord(file)
  t.equal(shared.placeOf(name), file)
  writeFileSync(`${name}.part`, 'sound')
  t.equal(readFileSync(`${file}.part`, 'utf8'), 'sound')
  t.equal(mode(`${name}.part`), 0o660)
  renameSync(`${name}.part`, name)
  t.equal(shared.recorded(name, true), true)
  t.equal(readFileSync(file, 'utf8'), 'sound')
  t.equal(mode(file), 0o600)
  t.same(readdirSync(spool), [])
})

t.test('one that failed leaves nothing, and one that cannot be put at its place has failed', async (t) => {
  const { home, spool, shared, logged } = rig(t)
  t.equal(shared.recorded(shared.toRecord(join(home, 'recordings/a.wav')), false), false)
  t.same([readdirSync(join(home, 'recordings')), readdirSync(spool)], [[], []])
  t.equal(shared.toRecord(join(home, 'nowhere/a.wav')), join(home, 'nowhere/a.wav'), 'where the engine cannot write')
  const name = shared.toRecord(join(home, 'recordings/b.wav'))
  rmSync(join(home, 'recordings'), { recursive: true })
  t.equal(shared.recorded(name, true), false)
  t.same(readdirSync(spool), [])
  t.equal(logged.length, 2)
})

t.test('a received fax without a page is no file; one that was cut off stays where it is', async (t) => {
  const { home, spool, shared } = rig(t)
  const [empty, cut] = [join(home, 'fax/in/a.tif'), join(home, 'fax/in/b.tif')]
  rmSync(shared.toReceive(empty))
  shared.received(empty)
  t.notOk(existsSync(empty))
  writeFileSync(shared.toReceive(cut), 'one page')
  shared.clear()
  t.equal(readFileSync(cut, 'utf8'), 'one page')
  t.same(readdirSync(spool), [])
})

t.test('pages that are sent, and certificates', async (t) => {
  const { home, spool, shared, mode } = rig(t)
  const page = join(home, 'fax/out/fine.tif')
  writeFileSync(page, 'a page', { mode: 0o600 })
  t.equal(readFileSync(shared.toRead(page), 'utf8'), 'a page')
  t.equal(shared.toRead(''), '')
  shared.read(page)
  t.same(readdirSync(spool), [])
  const cert = join(home, 'cert.pem')
  writeFileSync(cert, 'a certificate', { mode: 0o600 })
  const trunks = configuration.trunks.map((trunk) => ({ ...trunk, caFile: cert }))
  const given = shared.configuration({ ...configuration, tls: { listen: '127.0.0.1:0', cert, key: join(home, 'none.pem') }, trunks })
  t.equal(readFileSync(given.tls?.cert ?? '', 'utf8'), 'a certificate')
  t.equal(mode(given.tls?.cert ?? ''), 0o640)
  t.equal(given.trunks[0]?.caFile, given.tls?.cert)
  t.equal(given.tls?.key, join(home, 'none.pem'), 'of which the engine says that it is not there')
})

t.test('an engine that was taken over gets to nothing else by what it puts into the spool', async (t) => {
  const { home, spool, shared, store } = rig(t)
  const file = join(home, 'recordings/a.wav')
  for (const name of [basename(shared.toRecord(file)), basename(`${shared.toRecord(file)}.part`), 'cert.pem', 'fax+in+a.tif']) {
    rmSync(join(spool, name), { force: true })
    symlinkSync(store, join(spool, name))
  }
  const name = shared.toRecord(file)
  t.ok(lstatSync(`${file}.part`).isFile(), 'a link is no recording')
  shared.toReceive(join(home, 'fax/in/a.tif'))
  t.ok(lstatSync(join(home, 'fax/in/a.tif')).isFile())
  writeFileSync(join(home, 'cert.pem'), 'a certificate')
  shared.configuration({ ...configuration, trunks: configuration.trunks.map((trunk) => ({ ...trunk, caFile: join(home, 'cert.pem') })) })
  // Names of places that it was never given.
  for (const lie of ['..+..+etc+passwd', '+etc+passwd']) t.equal(shared.placeOf(join(spool, lie)).startsWith('/etc'), false, lie)
  shared.recorded(join(spool, 'store+store.mdb'), true)
  shared.recorded(join(spool, 'store+store.mdb'), false)
  shared.recorded('/etc/passwd', true)
  // A second name of what it has written is closed to it as soon as that has ended.
  execFileSync('ln', [`${name}.part`, join(spool, 'kept')])
  renameSync(`${name}.part`, name)
  shared.recorded(name, true)
  t.equal(statSync(join(spool, 'kept')).mode & 0o777, 0o600)
  t.equal(readFileSync(store, 'utf8'), 'of patients')
  mkdirSync(join(spool, 'a-folder'))
  shared.clear()
  t.equal(readFileSync(store, 'utf8'), 'of patients')
})
