import type { PassageKind } from './anchors.js'
import { serviceSecrets } from './secrets/services.js'
import { valueSecrets } from './secrets/values.js'

/** What secrets look like. Of two that are found in one place the first is named. */
export const secretKinds: readonly PassageKind[] = [...serviceSecrets, ...valueSecrets]
