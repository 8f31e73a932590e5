/** What the Python examples of this folder's tests are run with: one environment for all of them, these versions. */
export const pythonKafka: readonly string[] = ['confluent-kafka==2.16.1', 'fastavro==1.13.1'];
