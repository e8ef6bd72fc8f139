import { fastifySchedule } from '@fastify/schedule'
import { SimpleIntervalJob, Task } from 'toad-scheduler'
import { createServer } from 'under-test'

const server = createServer()
server.register(fastifySchedule)
server
  .ready()
  .then(() => server.scheduler.addSimpleIntervalJob(new SimpleIntervalJob({ seconds: 1 }, new Task('x', () => {}))), console.error)
