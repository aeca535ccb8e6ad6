// Calls that wait for somebody to say yes or no, as that somebody has to see them.
export type Danger = 'destructive' | 'write' | 'read'

/** What is no longer as it was asked about: the call would not be made. */
export type ChangedSince = 'tool' | 'server' | 'definition' | 'policy'
