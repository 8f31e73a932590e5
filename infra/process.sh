# Sourced by the scripts beside it: one background process by its pid file. The caller sets `name`, `folder` and `port`.

pid_file=$folder/pid
log_file=$folder/log

# The pid of our process, if it runs; another process that got the same pid later names another folder.
running_pid() {
  local pid
  pid=$(cat "$pid_file" 2>/dev/null) || return 1
  ps -p "$pid" -o args= 2>/dev/null | grep -qF -- "$folder" || return 1
  echo "$pid"
}

answers() { (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; }

# start_process COMMAND...: in the background, until the port answers; the last lines of its log if it never does.
start_process() {
  if running_pid >/dev/null; then
    echo "$name: runs already on 127.0.0.1:$port"
    return
  fi
  if answers; then
    echo "$name: 127.0.0.1:$port is taken by another process" >&2
    exit 1
  fi
  nohup "$@" >"$log_file" 2>&1 </dev/null &
  echo $! >"$pid_file"
  for _ in $(seq 600); do
    if answers; then
      echo "$name: 127.0.0.1:$port"
      return
    fi
    running_pid >/dev/null || break
    sleep 0.5
  done
  tail -n 30 "$log_file" >&2
  echo "$name: did not start; see $log_file" >&2
  stop_process >/dev/null
  exit 1
}

# TERM, and KILL after 30 s.
stop_process() {
  local pid
  if ! pid=$(running_pid); then
    echo "$name: not running"
    rm -f "$pid_file"
    return
  fi
  kill "$pid" 2>/dev/null || true
  for _ in $(seq 150); do
    running_pid >/dev/null || break
    sleep 0.2
  done
  if running_pid >/dev/null; then kill -KILL "$pid" 2>/dev/null || true; fi
  rm -f "$pid_file"
  echo "$name: stopped"
}

process_status() {
  local pid
  if pid=$(running_pid); then
    echo "$name: runs on 127.0.0.1:$port, pid $pid, $folder"
  else
    echo "$name: not running"
    return 1
  fi
}

usage() {
  echo "usage: $0 start|stop|status" >&2
  exit 2
}
