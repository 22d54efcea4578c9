/** The same promises, kept by the same pipeline on node:http. */
import { servedBy } from './serve.ts'

servedBy.library = 'node'
await import('./requests.test.ts')
await import('./connections.test.ts')
