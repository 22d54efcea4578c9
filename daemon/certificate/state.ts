/** How the certificate of the box stands: whose it is, how long it is good, and whether another one is due. */
import type { X509Certificate } from 'node:crypto'
import { filesBeside, makeLeaf, permittedOf, readCertificate, type CertificateFiles } from './issue.ts'
import { boxNames, type BoxNames } from './names.ts'

/**
 * `box`: signed by the authority next to the configuration. `old`: what `pbx setup` of former versions made, an authority without limits whose
 * key is that of the web port. `own`: the clinic's.
 */
export type Maker = 'box' | 'old' | 'own'

export interface CertificateState {
  readonly maker: Maker
  readonly leaf: X509Certificate
  /** Of maker `box`. */
  readonly authority: X509Certificate | null
  /** Milliseconds since the epoch. */
  readonly until: number
}

export const renewDays = 30
export const dayMs = 86_400_000

/** null where there is no certificate. `tls`: as the configuration names it. */
export function certificateState(configFile: string, tls: { readonly cert: string } | undefined): CertificateState | null {
  const leaf = tls === undefined ? null : readCertificate(tls.cert)
  if (leaf === null) return null
  const { cert, authority: file } = filesBeside(configFile)
  const authority = readCertificate(file)
  const until = Date.parse(leaf.validTo)
  if (authority !== null && leaf.checkIssued(authority) && leaf.verify(authority.publicKey)) return { maker: 'box', leaf, authority, until }
  const old = tls?.cert === cert && leaf.ca && leaf.checkIssued(leaf)
  return { maker: old ? 'old' : 'own', leaf, authority: null, until }
}

/** Names and addresses that the certificate lacks. */
export function missingIn(leaf: X509Certificate, { names, addresses }: BoxNames): string[] {
  const lacking = names.filter((name) => leaf.checkHost(name, { subject: 'never' }) === undefined)
  return [...lacking, ...addresses.filter((address) => leaf.checkIP(address) === undefined)]
}

/** Whether another one is due: 30 days before its end, or for an address or a name that it lacks and that its authority may sign for. */
export async function isDue({ leaf, until }: CertificateState, files: CertificateFiles, wanted: BoxNames, now: number): Promise<boolean> {
  if (until - renewDays * dayMs <= now) return true
  if (missingIn(leaf, wanted).length === 0) return false
  return missingIn(leaf, await permittedOf(files, wanted)).length > 0
}

/** Makes another one where it is due; whether it did. `config`: as for boxNames. */
export async function renewWhenDue(
  configFile: string,
  config: unknown,
  tls: { readonly cert: string } | undefined,
  now: number,
): Promise<boolean> {
  const state = certificateState(configFile, tls)
  const files = filesBeside(configFile)
  const wanted = boxNames(config)
  if (state?.maker !== 'box' || tls?.cert !== files.cert || !(await isDue(state, files, wanted, now))) return false
  await makeLeaf(files, wanted, now)
  return true
}
