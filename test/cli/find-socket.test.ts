/** A technician reaches the running daemon however broken its file is. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parseConfig } from '../../daemon/config/load.ts'
import { findSocket } from '../../scripts/cli/client.ts'

t.test('of a file that is broken elsewhere', async (t) => {
  delete process.env['PBXD_SOCKET']
  const dir = t.testdir()
  const file = join(dir, 'pbxd.yaml')
  const said = `control: { socket: run/own.sock }\nstorage: { dir: var }\n`
  for (const more of ['', 'control: { socket: other.sock }\n', 'trunks:\n  - [\n"', '\ttabs: [\n', 'extensions: 9:00\n  - x\n']) {
    writeFileSync(file, said + more)
    t.equal(await findSocket({ config: file }), join(dir, 'run/own.sock'), JSON.stringify(more))
  }
  writeFileSync(file, 'storage: { dir: var }\ntrunks: [')
  t.equal(await findSocket({ config: file }), join(dir, 'var/run/pbxd.sock'))
  for (const text of ['', '\0\0\0', '- [', 'control: x\nstorage: 1']) {
    writeFileSync(file, text)
    t.match(await findSocket({ config: file }), /pbxd\.sock$/, JSON.stringify(text))
  }
})

t.test('a fault of the file as a whole names no path', async (t) => {
  t.throws(() => parseConfig('site: [', '/etc/pbxd/pbxd.yaml'), { message: /^\/etc\/pbxd\/pbxd\.yaml:1:\d+: this is not valid YAML/ })
})
