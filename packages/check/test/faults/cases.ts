// Servers with one fault each, and the check that must find it.

import { argumentsCases } from './arguments.js'
import { callsCases } from './calls.js'
import type { Case } from './changes.js'
import { baseCases } from './fault.js'
import { headersCases } from './headers.js'
import { httpCases } from './http.js'
import { openingCases } from './lifecycle.js'
import { listsCases } from './lists.js'
import { observedCases } from './observed.js'
import { progressCases } from './progress.js'
import { resultsCases } from './results.js'
import { schemasCases } from './schemas.js'
import { sessionsCases } from './sessions.js'
import { strainCases } from './strain.js'

export const cases: readonly Case[] = [
  ...argumentsCases,
  ...baseCases,
  ...callsCases,
  ...headersCases,
  ...httpCases,
  ...listsCases,
  ...observedCases,
  ...openingCases,
  ...progressCases,
  ...resultsCases,
  ...schemasCases,
  ...sessionsCases,
  ...strainCases,
]
