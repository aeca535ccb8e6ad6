import type { PassageKind } from '../search/anchor-scan.js'
import { serviceSecrets } from './service-secrets.js'
import { valueSecrets } from './value-secrets.js'

/** What secrets look like. Of two that are found in one place the first is named. */
export const secretKinds: readonly PassageKind[] = [...serviceSecrets, ...valueSecrets]
