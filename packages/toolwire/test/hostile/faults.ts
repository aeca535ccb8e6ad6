// All scripted faults.
import type { Fault } from './fault.js'
import { answers } from './faults/answers.js'
import { children } from './faults/children.js'
import { endings } from './faults/endings.js'
import { floods } from './faults/floods.js'
import { garbage } from './faults/garbage.js'
import { json } from './faults/json.js'
import { lists } from './faults/lists.js'
import { openings } from './faults/openings.js'
import { rounds } from './faults/rounds.js'
import { schemas } from './faults/schemas.js'
import { silence } from './faults/silence.js'
import { sizes } from './faults/sizes.js'
import { statuses } from './faults/statuses.js'
import { streams } from './faults/streams.js'

export const faults: readonly Fault[] = [
  ...silence,
  ...endings,
  ...garbage,
  ...sizes,
  ...answers,
  ...json,
  ...lists,
  ...schemas,
  ...floods,
  ...statuses,
  ...streams,
  ...children,
  ...openings,
  ...rounds,
]
