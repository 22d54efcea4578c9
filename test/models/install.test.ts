/** Models from archives, good and hostile, and from USB sticks; verified, damaged, removed. */
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { importModels, installModel, readModel, removeModel, verifyModel, type Progress } from '../../daemon/speech/models/models.ts'
import { archived, boxOf, catalogueOf, content, loose, optionsIn, pack, serveModels, sha256, temporaryFolder, write } from './stage.ts'

const server = await serveModels()
t.teardown(() => server.close())
t.beforeEach(() => {
  server.faults.length = 0
  server.asked.length = 0
  server.etag = '"one"'
  server.pace = 0
})

t.test('a model in an archive is fetched, verified, unpacked and recorded; only what is named comes out', async (t) => {
  for (const form of ['tgz', 'tar.bz2'] as const) {
    const dir = temporaryFolder(t)
    const model = content(300_000)
    const entry = archived(server, 'small', boxOf(temporaryFolder(t), model, form), {}, form)
    const seen: Progress[] = []
    const installed = await installModel(entry, optionsIn(dir, { onProgress: (progress) => seen.push(progress) }))
    t.match(installed, {
      state: 'installed',
      files: { id: 'small', kind: 'nemo-ctc', files: { model: 'model.onnx', tokens: 'tokens.txt' } },
    })
    t.same(readdirSync(dir), ['small'], 'nothing else is left')
    t.same(readdirSync(join(dir, 'small')).toSorted(), ['INSTALLED.json', 'model.onnx', 'tokens.txt'])
    t.ok(readFileSync(join(dir, 'small/model.onnx')).equals(model))
    t.match(installed.record, { pinned: true, files: [{ role: 'model', bytes: 300_000, sha256: sha256(model) }, { role: 'tokens' }] })
    t.equal(seen.findLast(({ step }) => step === 'download')?.bytes, entry.source?.bytes)
    t.equal((await verifyModel(entry, optionsIn(dir).places)).state, 'installed')
    await installModel(entry, optionsIn(dir))
  }
  t.equal(server.asked.length, 2, 'what is installed is not fetched again')
})

t.test('files with addresses of their own', async (t) => {
  const dir = temporaryFolder(t)
  const entry = loose(server, 'loose', { encoder: content(70_000), decoder: content(50_000), tokens: content(100) })
  const installed = await installModel(entry, optionsIn(dir))
  t.same(installed.files?.files, { encoder: 'encoder.bin', decoder: 'decoder.bin', tokens: 'tokens.bin' })
})

t.test('hostile archives', async (t) => {
  const model = content(20_000)
  const folder = (make: (at: string) => void): string => {
    const at = temporaryFolder(t)
    mkdirSync(join(at, 'box'))
    write(at, { 'box/model.onnx': model, 'box/tokens.txt': 'a 0\n' })
    make(at)
    return at
  }
  const link = folder((at) => {
    write(at, { secret: 'x' })
    symlinkSync('/etc/passwd', join(at, 'box/link'))
  })
  const hard = folder((at) => linkSync(join(at, 'box/model.onnx'), join(at, 'box/other')))
  const bomb = folder((at) => {
    write(at, { 'box/model.onnx': '' })
    truncateSync(join(at, 'box/model.onnx'), 30e6)
  })
  const inside = folder((at) => write(at, { 'other/model.onnx/tail': 'x' }))
  const cases: [string, Buffer, RegExp][] = [
    ['a symbolic link', pack(link, ['box/tokens.txt', 'box/link'], 'tgz', '--transform=s,box/link,box/model.onnx,'), /not a plain file/],
    [
      'a hard link',
      pack(
        hard,
        ['box/model.onnx', 'box/other', 'box/tokens.txt'],
        'tgz',
        '--transform=s,box/model.onnx,box/first,;s,box/other,box/model.onnx,',
      ),
      /not a plain file/,
    ],
    [
      'a name that goes up',
      pack(hard, ['box/model.onnx', 'box/tokens.txt'], 'tgz', '-P', '--transform=s,box/model,../box/model,'),
      /not in the archive/,
    ],
    [
      'an absolute name',
      pack(hard, ['box/model.onnx', 'box/tokens.txt'], 'tgz', '-P', '--transform=s,box/model,/box/model,'),
      /not in the archive/,
    ],
    ['one name twice', pack(hard, ['box/model.onnx', 'box/model.onnx', 'box/tokens.txt'], 'tgz', '--hard-dereference'), /twice|plain/],
    [
      'a file below a file',
      pack(inside, ['box/model.onnx', 'box/tokens.txt', 'other/model.onnx/tail'], 'tgz', '--transform=s,other/,box/,'),
      /not a plain file/,
    ],
    ['a bomb', pack(bomb, ['box/model.onnx', 'box/tokens.txt'], 'tgz'), /far more than/],
    [
      'an empty file',
      pack(
        folder((at) => write(at, { 'box/model.onnx': '' })),
        ['box'],
        'tgz',
      ),
      /empty/,
    ],
    ['nothing wanted', pack(write(temporaryFolder(t), { x: 'y' }), ['x'], 'tgz'), /not in the archive/],
    ['no archive', content(5000), /cannot be read/],
    ['half an archive', pack(hard, ['box'], 'tgz').subarray(0, 9000), /cannot be read|too early/],
  ]
  for (const [what, archive, text] of cases) {
    const dir = temporaryFolder(t)
    await t.rejects(installModel(archived(server, 'hostile', archive), optionsIn(dir)), { message: text }, what)
    t.notOk(existsSync(join(dir, 'hostile')), `${what}: nothing is installed`)
    t.notOk(existsSync(join(dir, '..', 'box')))
  }
  const known = archived(
    server,
    'known',
    pack(
      folder(() => {}),
      ['box'],
    ),
    {
      files: [
        { role: 'model', name: 'model.onnx', path: 'box/model.onnx', sha256: sha256(Buffer.from('other')) },
        { role: 'tokens', name: 'tokens.txt', path: 'box/tokens.txt' },
      ],
    },
  )
  await t.rejects(
    installModel(known, optionsIn(temporaryFolder(t))),
    { code: 'wrong-content' },
    'a file with a hash of its own is held against it',
  )
})

t.test('what the engines say decides: made ready, then loaded on trial', async (t) => {
  const dir = temporaryFolder(t)
  const entry = loose(server, 'voice', { model: content(1000), config: content(10) }, { kind: 'piper', roles: ['voice'] })
  const finish = {
    piper: async (folder: string) => {
      writeFileSync(join(folder, 'tokens.txt'), '_ 0\n')
      return { tokens: 'tokens.txt' }
    },
  }
  let tried = ''
  const refuse = optionsIn(dir, { finish, trial: async () => ({ ok: false, reason: 'it is no model' }) })
  await t.rejects(installModel(entry, refuse), { code: 'bad-model', message: /it is no model/ })
  t.equal(readModel(entry, refuse.places).state, 'not-installed')
  server.asked.length = 0
  const trial = async (model: { files: object; directory: string }): Promise<{ ok: boolean; reason: string }> => {
    tried = Object.values(model.files).join(' ')
    return { ok: existsSync(join(model.directory, 'tokens.txt')), reason: '' }
  }
  const installed = await installModel(entry, optionsIn(dir, { finish, trial }))
  t.same(installed.files?.files, { model: 'model.bin', config: 'config.bin', tokens: 'tokens.txt' })
  t.equal(tried, 'model.bin config.bin tokens.txt')
  t.equal(server.asked.length, 0, 'what was fetched before is used')
})

t.test('damage is seen: at a start by size and time, by verify from the content', async (t) => {
  const dir = temporaryFolder(t)
  const { places } = optionsIn(dir)
  const entry = archived(server, 'small', boxOf(temporaryFolder(t), content(50_000)))
  await installModel(entry, optionsIn(dir))
  const file = join(dir, 'small/model.onnx')
  const good = readFileSync(file)
  const { atime, mtime } = statSync(file)

  const flipped = Buffer.from(good)
  flipped[1234] = (flipped[1234] ?? 0) ^ 4
  writeFileSync(file, flipped)
  t.match(readModel(entry, places), { state: 'damaged', reason: /model.onnx was changed/, files: null })
  t.match(await verifyModel(entry, places), { state: 'damaged', reason: /sha256 differs/ })
  writeFileSync(file, good)
  t.equal(readModel(entry, places).state, 'damaged', 'another time')
  t.equal((await verifyModel(entry, places)).state, 'installed', 'but the right content: the time is taken over')
  t.equal(readModel(entry, places).state, 'installed')

  writeFileSync(file, flipped)
  utimesSync(file, atime, mtime)
  truncateSync(file, 100)
  t.match(readModel(entry, places), { state: 'damaged', reason: /100 bytes instead of 50000/ })
  t.equal((await installModel(entry, optionsIn(dir))).state, 'installed', 'a damaged one is installed anew')
  writeFileSync(join(dir, 'small/INSTALLED.json'), '{"id":')
  t.match(readModel(entry, places), { state: 'damaged', reason: /INSTALLED.json/ })
  t.equal(await removeModel(entry, places), true)
  t.same([readModel(entry, places).state, readdirSync(dir), await removeModel(entry, places)], ['not-installed', [], false])
})

t.test('a USB stick is looked through: archives, files, unpacked folders, told by their content', async (t) => {
  const dir = temporaryFolder(t)
  const box = temporaryFolder(t)
  const archive = boxOf(box, content(60_000))
  const pair = { encoder: content(5000), tokens: content(50) }
  const inner = { 'model.onnx': content(900), 'tokens.txt': content(90) }
  const models = [
    archived(server, 'small', archive),
    loose(server, 'pair', pair),
    archived(
      server,
      'inner',
      pack(write(temporaryFolder(t), { 'box/model.onnx': inner['model.onnx'], 'box/tokens.txt': inner['tokens.txt'] }), ['box']),
      {
        files: Object.entries(inner).map(([name, data]) => ({
          role: name.slice(0, 5),
          name,
          path: `box/${name}`,
          bytes: data.length,
          sha256: sha256(data),
        })),
      },
    ),
  ]
  const stick = write(temporaryFolder(t), {
    'downloads/renamed by a browser (1).tgz': archive,
    'whisper/encoder.bin': pair.encoder,
    'whisper/tokens.bin': pair.tokens,
    'inner/model.onnx': inner['model.onnx'],
    'inner/tokens.txt': inner['tokens.txt'],
    'holiday.jpg': content(5000),
  })
  const from = catalogueOf(...models)
  server.asked.length = 0
  const installed = await importModels(stick, from, optionsIn(dir))
  t.same(
    installed.map(({ entry, state }) => [entry.id, state]),
    [
      ['small', 'installed'],
      ['pair', 'installed'],
      ['inner', 'installed'],
    ],
  )
  t.equal(server.asked.length, 0, 'nothing is fetched')
  t.match(installed[0]?.record?.source, [`import:${stick}`])
  t.same(readdirSync(dir).toSorted(), ['inner', 'pair', 'small'])
  t.equal((await importModels(join(stick, 'downloads/renamed by a browser (1).tgz'), from, optionsIn(temporaryFolder(t)))).length, 1)

  const bad = temporaryFolder(t)
  await t.rejects(importModels(write(bad, { 'encoder.bin': pair.encoder }), from, optionsIn(dir)), { message: /pair lacks tokens.bin/ })
  await t.rejects(importModels(write(temporaryFolder(t), { 'small.tgz': archive.subarray(1) }), from, optionsIn(dir)), {
    message: /name of a model but not its content/,
  })
  await t.rejects(importModels(write(temporaryFolder(t), { x: 'y' }), from, optionsIn(dir)), { message: /no model of the catalogue/ })
  await t.rejects(importModels(join(bad, 'nowhere'), from, optionsIn(dir)), { code: 'missing' })
})

t.test('what nobody has pinned is installed only when that is wanted, and its hash is kept', async (t) => {
  const dir = temporaryFolder(t)
  const archive = boxOf(temporaryFolder(t), content(5000))
  const entry = archived(server, 'wild', archive)
  const { sha256: _, bytes: __, ...source } = entry.source!
  const wild = { ...entry, source }
  await t.rejects(installModel(wild, optionsIn(dir)), { code: 'not-pinned', fix: /--trust-first-download/ })
  const { record } = await installModel(wild, optionsIn(dir, { trustFirst: true }))
  t.match(record, { pinned: false, fetched: { 'wild.tgz': sha256(archive) } })
  const file = write(temporaryFolder(t), { 'wild.tgz': archive })
  await t.rejects(importModels(file, catalogueOf(wild), optionsIn(dir)), { message: /no model/ })
  t.match(await importModels(file, catalogueOf(wild), optionsIn(temporaryFolder(t), { trustFirst: true }), wild), [{ state: 'installed' }])
  server.files.set('/wild.tgz', content(3e6))
  await t.rejects(installModel(wild, optionsIn(temporaryFolder(t), { trustFirst: true })), { message: /far more than it should/ })
})

t.test("the program's own folder needs no record, and is never written", async (t) => {
  const dir = temporaryFolder(t)
  const own = temporaryFolder(t)
  const model = content(2000)
  const entry = loose(server, 'built-in', { model })
  const places = { directory: dir, program: own }
  t.equal(readModel(entry, places).state, 'not-installed')
  write(own, { 'built-in/model.bin': model })
  t.match(readModel(entry, places), { state: 'installed', own: true, directory: join(own, 'built-in') })
  t.equal((await verifyModel(entry, places)).state, 'installed')
  await t.rejects(removeModel(entry, places), { message: /came with the program/ })
  write(own, { 'built-in/model.bin': content(2000) })
  t.match(readModel(entry, places), { state: 'damaged', reason: /model.bin/ })
  t.equal((await installModel(entry, optionsIn(dir, { places }))).own, false, 'and can be replaced by one in the configured folder')
})

t.test('a model of a package is taken as it was packed, whenever it was unpacked', async (t) => {
  const packaged = temporaryFolder(t)
  const entry = archived(server, 'boxed', boxOf(temporaryFolder(t), content(3000)))
  const { record } = await installModel(entry, optionsIn(packaged))
  const { name } = record!.files[0]!
  const file = join(packaged, 'boxed', name)
  utimesSync(file, 1_000_000_000, 1_000_000_000)
  const places = { directory: temporaryFolder(t), program: join(packaged, 'none'), packaged }
  t.match(readModel(entry, places), { state: 'installed', own: true, directory: join(packaged, 'boxed') })
  t.match(await verifyModel(entry, places), { state: 'installed' })
  await t.rejects(removeModel(entry, places), { message: /came with a package.*apt remove pbxd-speech-boxed/ })
  const bytes = readFileSync(file)
  writeFileSync(file, bytes.fill(1, 0, 10))
  t.match(await verifyModel(entry, places), { state: 'damaged', reason: /not what was installed/ })
})
