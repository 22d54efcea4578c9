/** The same promises, kept by the same pipeline on node:http. */
import { servedBy } from './serve.ts'

servedBy.library = 'node'
await import('./requests.test.ts')
await import('./connections.test.ts')
await import('./operation.test.ts')
await import('./doors.test.ts')
await import('./signature.test.ts')
await import('./proxies.test.ts')
await import('./parts.test.ts')
await import('./streams.test.ts')
