// The thread that has the database, as the file that it starts with.
import { parentPort, workerData } from 'node:worker_threads'
import { runDatabaseThread } from './store/database/thread/database-thread.js'
import type { ThreadStart } from './store/database/thread/messages.js'

// Only `openStore` starts it, and it says with what.
if (parentPort) runDatabaseThread(parentPort, workerData as ThreadStart)
