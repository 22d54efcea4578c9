/** What a technician's monitoring sees of the box. */
import type { Scene } from '../../harness/scene.ts'

/** The sum of a metric over its labels; 0 where there is none of that name. */
export async function metric(box: Scene, name: string): Promise<number> {
  const { body } = await box.daemon.api('GET', '/metrics')
  return [...String(body).matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\d+)`, 'gm'))].reduce((sum, [, value]) => sum + Number(value), 0)
}
