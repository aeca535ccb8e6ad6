import type { Store } from '../store/store.js'
import type { Catalogue } from './catalogue.js'

/** Remembers when each tool was listed for the first time. */
export function noteFirstSights(catalogue: Catalogue, marks: Store['marks']): void {
  const noted = new Set<string>()
  catalogue.onArrival(({ name, definition: { server = '' } }) => {
    const at = { server, tool: name }
    const key = JSON.stringify([server, name])
    if (noted.has(key) || marks.get('seen', at)) return
    noted.add(key)
    // Whatever is wrong with the disk is told by the store's `trouble`; the next start notes it again.
    marks.set('seen', at, { at: Date.now() }).catch(() => noted.delete(key))
  })
}
