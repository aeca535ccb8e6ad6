import { v20241105 } from './2024-11-05.js'
import { v20250326 } from './2025-03-26.js'
import { v20250618 } from './2025-06-18.js'
import { v20251125 } from './2025-11-25.js'
import { v20260728 } from './2026-07-28.js'
import { pocket } from './pocket.js'
import type { Revision } from './revision.js'
import { RevisionSet } from './revision-set.js'

/** Newest first, so that the first match is the best one. */
export const revisions: readonly Revision[] = [v20260728, v20251125, v20250618, v20250326, v20241105]

const known = new RevisionSet(revisions)

/** The revisions that an endpoint serves: all of them, or only the given versions. */
export const revisionSetOf = (versions?: readonly string[]): RevisionSet => known.choose(versions)

export type { Revision } from './revision.js'
export { RevisionSet } from './revision-set.js'

export const pocketRevisions = new RevisionSet([pocket])
