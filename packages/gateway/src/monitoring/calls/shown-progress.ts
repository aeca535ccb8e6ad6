import type { Progress } from 'toolwire/client'
import { shortText } from '../short-text.js'

const longestMessage = 1_000

/** Progress for watchers, of which thousands of messages may be kept. The caller of the tool gets the whole message. */
export const shownProgress = (progress: Progress): Progress =>
  progress.message === undefined ? progress : { ...progress, message: shortText(progress.message, longestMessage) }
