/** All areas that `npm run attack` plays. */
import type { Area } from './attack.ts'
import { audit } from './audit.ts'
import { consoleArea } from './console.ts'
import { doors } from './doors.ts'
import { edgeArea } from './edge.ts'
import { http } from './http.ts'
import { isolation } from './isolation.ts'
import { media } from './media.ts'
import { numbers } from './numbers.ts'
import { parsers } from './parsers.ts'
import { privacy } from './privacy.ts'
import { registrar } from './registrar.ts'
import { root } from './root.ts'
import { scanners } from './scanners.ts'
import { signalling } from './signalling.ts'
import { streams } from './streams.ts'
import { torture } from './torture.ts'

export const areas: readonly Area[] = [
  audit,
  consoleArea,
  doors,
  edgeArea,
  http,
  isolation,
  media,
  numbers,
  parsers,
  privacy,
  registrar,
  root,
  scanners,
  signalling,
  streams,
  torture,
]
