// The thread that has the database, as the file that it starts with.
import { parentPort, workerData } from 'node:worker_threads'
import type { ThreadStart } from './store/database/messages.js'
import { runDatabaseThread } from './store/database/thread.js'

// Only `openStore` starts it, and it says with what.
if (parentPort) runDatabaseThread(parentPort, workerData as ThreadStart)
