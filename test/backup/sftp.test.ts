/** A backup goes to a real OpenSSH server, whole or not at all. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { sendBackup, serverOf, sha256Of, type Server } from '../../daemon/backup/sftp.ts'
import { freePort } from '../harness/daemon.ts'
import { endWithUs } from '../harness/processes.ts'
import { eventually } from '../harness/scene.ts'

t.test('addresses', async (t) => {
  t.match(serverOf('sftp://clinic@nas.example.net:2222/a/b/'), { host: 'clinic@nas.example.net', port: '2222', folder: '/a/b' })
  for (const bad of ['sftp://nas', 'sftp://-oProxyCommand=x/a', 'http://nas/a', 'sftp://nas/"a', 'sftp://nas/a b'])
    t.throws(() => serverOf(bad), /not the address of a server/, bad)
})

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

const program = '/usr/sbin/sshd'
const usable = existsSync(program) && process.getuid?.() === 0

t.test('a real server', { skip: usable ? false : 'openssh-server is not installed, or this is not root' }, async (t) => {
  const dir = t.testdir({ remote: {}, local: {} })
  const port = await freePort()
  for (const name of ['host', 'user', 'stranger']) spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(dir, name)])
  writeFileSync(join(dir, 'authorized'), readFileSync(join(dir, 'user.pub')))
  writeFileSync(join(dir, 'known'), `[127.0.0.1]:${port} ${readFileSync(join(dir, 'host.pub'), 'utf8')}`)
  const settings = [
    `HostKey ${join(dir, 'host')}`,
    `AuthorizedKeysFile ${join(dir, 'authorized')}`,
    'StrictModes no',
    'PermitRootLogin yes',
  ]
  const rest = ['PidFile none', 'UsePAM no', 'ListenAddress 127.0.0.1', `Port ${port}`, 'Subsystem sftp internal-sftp']
  writeFileSync(join(dir, 'sshd_config'), `${[...settings, ...rest].join('\n')}\n`)
  mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  const server = spawn(program, ['-D', '-e', '-f', join(dir, 'sshd_config')], { stdio: 'ignore' })
  endWithUs(server)
  t.teardown(() => server.kill())
  await eventually('it listens', () => listens(port))

  const with_ = (key: string, known = 'known'): Server => {
    const config = join(dir, `config-${key}-${known}`)
    const lines = [
      'IdentitiesOnly yes',
      `IdentityFile ${join(dir, key)}`,
      `UserKnownHostsFile ${join(dir, known)}`,
      'GlobalKnownHostsFile none',
    ]
    writeFileSync(config, `Host *\n${lines.map((line) => `  ${line}\n`).join('')}`)
    return serverOf(`sftp://${userInfo().username}@127.0.0.1:${port}${join(dir, 'remote')}`, config)
  }
  const backup = (second: number): string => {
    const file = join(dir, 'local', `pbxd-box-20260302T02061${second}Z.tar.age`)
    writeFileSync(file, Buffer.alloc(3_000_000, second))
    return file
  }
  const remote = (): string[] => readdirSync(join(dir, 'remote')).toSorted()

  for (let n = 1; n <= 3; n++) {
    const file = backup(n)
    t.match(await sendBackup(file, await sha256Of(file), with_('user'), 2), /^sftp:\/\/root@127\.0\.0\.1:\d+\/.*Z\.tar\.age$/)
  }
  t.same(remote(), ['pbxd-box-20260302T020612Z.tar.age', 'pbxd-box-20260302T020613Z.tar.age'], 'the newest two')
  t.ok(readFileSync(join(dir, 'remote', remote()[1]!)).equals(Buffer.alloc(3_000_000, 3)))
  const file = backup(4)
  await t.rejects(sendBackup(file, await sha256Of(file), with_('stranger'), 2), { name: 'BackupError', message: /Permission denied/ })
  await t.rejects(sendBackup(file, await sha256Of(file), with_('user', 'none'), 2), {
    name: 'BackupError',
    message: /Host key verification failed/,
  })
  await t.rejects(sendBackup(file, 'another', with_('user'), 2), { name: 'BackupError', message: /differs from the file that was sent/ })
  const nowhere = { ...with_('user'), folder: join(dir, 'nowhere') }
  await t.rejects(sendBackup(file, await sha256Of(file), nowhere, 2), { name: 'BackupError', message: /did not accept the backup/ })
  t.same(
    remote().filter((name) => !name.startsWith('.')),
    ['pbxd-box-20260302T020612Z.tar.age', 'pbxd-box-20260302T020613Z.tar.age'],
    'none of these took the place of one',
  )
})
