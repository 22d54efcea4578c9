/** What `pbx certificate` does. It works on the files next to the configuration and asks no daemon, which takes what is new by itself. */
import { resolve } from 'node:path'
import { parse } from 'yaml'
import { filesBeside, makeAuthority, makeLeaf, readCertificate } from '../../daemon/certificate/issue.ts'
import { boxNames } from '../../daemon/certificate/names.ts'
import { certificateState, renewWhenDue, type CertificateState } from '../../daemon/certificate/state.ts'
import { CommandError, installedConfig, root } from './client.ts'
import type { Context } from './command.ts'
import { dim, green, localTime, print, printJson } from './output.ts'
import { readGiven } from './owner.ts'
import { runningConfig } from './running.ts'

interface Found {
  readonly file: string
  readonly config: unknown
  /** As the configuration names it. */
  readonly tls: { readonly cert: string } | undefined
}

/** Of a configuration that has faults elsewhere, too: the certificate ends all the same. */
function found({ choice }: Context): Found {
  const file = resolve(choice.config ?? runningConfig(root) ?? installedConfig)
  let config: unknown
  try {
    config = parse(readGiven(file).toString('utf8'))
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`, { fix: 'give it: --config FILE' })
  }
  const cert = (config as { http?: { tls?: { cert?: unknown } } } | null)?.http?.tls?.cert
  return { file, config, tls: typeof cert === 'string' ? { cert: resolve(file, '..', cert) } : undefined }
}

export async function show(context: Context): Promise<number> {
  const { file, tls } = found(context)
  const state = certificateState(file, tls)
  if (state === null) throw new CommandError('the web port has no certificate', { fix: 'pbx setup, or http.tls in the configuration' })
  const { leaf, authority, until, maker } = state
  const names = (leaf.subjectAltName ?? '').replaceAll('DNS:', '').replaceAll('IP Address:', '')
  const fingerprint = (authority ?? leaf).fingerprint256
  if (context.json) printJson({ maker, until: new Date(until).toISOString(), names: names.split(', '), fingerprint })
  else {
    print(`${words[maker]}, until ${localTime(new Date(until).toISOString())}`)
    print(`for ${names}`)
    print(`${authority === null ? 'certificate' : 'authority'}, SHA-256\n  ${fingerprint}`)
  }
  return 0
}

const words: Readonly<Record<CertificateState['maker'], string>> = {
  box: 'Signed by the authority of this box',
  old: 'Made by pbx setup of an earlier version (replace it: sudo pbx certificate make)',
  own: 'The clinic’s own certificate',
}

export async function renew(context: Context): Promise<void> {
  const { file, config, tls } = found(context)
  const renewed = await renewWhenDue(file, config, tls, Date.now())
  if (context.json) printJson({ renewed })
  else print(renewed ? `${green('✓')} the certificate is renewed` : dim('nothing is due'))
}

export async function make(context: Context): Promise<void> {
  const { file, config, tls } = found(context)
  const files = filesBeside(file)
  if (tls !== undefined && tls.cert !== files.cert)
    throw new CommandError(`http.tls names the clinic’s own certificate ${tls.cert}, which stays`, {
      fix: `to have the box make its own: tls: { cert: ${files.cert}, key: ${files.key} } under http`,
    })
  await makeAll(file, config)
  const fingerprint = readCertificate(files.authority)!.fingerprint256
  if (context.json) return printJson({ authority: files.authority, fingerprint })
  print(`${green('✓')} ${files.cert} is signed by the new authority ${files.authority}; a running daemon takes it within seconds`)
  print(`authority, SHA-256\n  ${fingerprint}`)
  print(dim('People trust it once on each device: /authority.crt of the web port, docs/security.md'))
}

/** A new authority, and a certificate with a new key by it. `config`: as for boxNames. */
export async function makeAll(configFile: string, config: unknown): Promise<void> {
  const files = filesBeside(configFile)
  const names = boxNames(config)
  const now = Date.now()
  await makeAuthority(files, names, now)
  await makeLeaf(files, names, now, false)
}
