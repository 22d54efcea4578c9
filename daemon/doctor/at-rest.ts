/** What `pbx doctor` can see of the disk and of swap: whether what is stored can be read by who takes the machine away. */
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { CheckView } from '../schema/operation.ts'

const encryption = 'put it on a volume made with cryptsetup luksFormat (dm-crypt): docs/privacy.md'

export async function atRestChecks(storageDir: string): Promise<CheckView[]> {
  return [await diskEncryption(storageDir), await swapEncryption()]
}

async function diskEncryption(dir: string): Promise<CheckView> {
  const name = 'encryption'
  const found = await stat(dir).catch(() => undefined)
  if (found === undefined)
    return { name, level: 'warning', text: `${dir} does not exist yet`, fix: 'the first start creates it: npm start' }
  // Linux: dev_t of a device is its major number in bits 8 to 19 and its minor number in the others.
  const [major, minor] = [(found.dev >> 8) & 0xfff, (found.dev & 0xff) | ((found.dev >> 12) & 0xfff00)]
  const encrypted = await isEncrypted(`/sys/dev/block/${major}:${minor}`)
  if (encrypted) return { name, level: 'ok', text: `${dir} is on an encrypted volume (dm-crypt)`, fix: '' }
  const why = encrypted === null ? `it is not known whether ${dir} is on an encrypted volume` : `${dir} is not on an encrypted volume`
  return { name, level: 'warning', text: `${why}: a thief of the disk could read faxes, messages and recordings`, fix: encryption }
}

async function swapEncryption(): Promise<CheckView> {
  const name = 'swap'
  const text = await readFile('/proc/swaps', 'utf8').catch(() => null)
  if (text === null) return { name, level: 'warning', text: 'it is not known whether the system swaps', fix: 'swapon --show' }
  const areas = text
    .split('\n')
    .slice(1)
    .flatMap((line) => line.split(/\s/)[0] ?? '')
    .filter((area) => area !== '')
  const open: string[] = []
  for (const area of areas) {
    const device = area.startsWith('/dev/') ? await realpath(area).catch(() => area) : null
    const encrypted = device === null ? false : (await isEncrypted(join('/sys/class/block', device.slice('/dev/'.length)))) === true
    if (!encrypted && !/zram/.test(area)) open.push(area)
  }
  if (open.length === 0)
    return { name, level: 'ok', text: areas.length === 0 ? 'the machine does not swap' : 'swap is encrypted or in memory', fix: '' }
  const fix = 'swapoff it and take it out of /etc/fstab, or encrypt it in /etc/crypttab (swap,cipher=aes-xts-plain64)'
  return { name, level: 'warning', text: `${open.join(', ')} writes memory with patient data to the disk without encryption`, fix }
}

/** Whether a block device, or one below it, is dm-crypt; null where the system does not say. */
async function isEncrypted(place: string): Promise<boolean | null> {
  const device = await realpath(place).catch(() => null)
  if (device === null) return null
  const uuid = await readFile(join(device, 'dm', 'uuid'), 'utf8').catch(() => '')
  if (uuid.startsWith('CRYPT-')) return true
  const below = await readdir(join(device, 'slaves')).catch(() => [])
  for (const slave of below) if (await isEncrypted(join('/sys/class/block', slave))) return true
  return false
}
