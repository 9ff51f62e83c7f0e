//! rsyslog: follows the file, keeps what cannot be sent on disk, and writes its own counters.

use super::learn::{Step, time_shape};
use super::{Learned, LineReading};

pub fn configuration(learned: &Learned, index: &str) -> String {
    // A path with quotes or line ends would end the text that it is in.
    let clean = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"").replace(['\n', '\r', '\t'], " ");
    let comment = |text: &str| text.replace(['\n', '\r'], " ");
    let start = starts_with_time(learned).map_or_else(String::new, |expression| {
        // POSIX extended expressions have no \d.
        format!("\n  startmsg.regex=\"^{}\" readTimeout=\"5\"", clean(&posix(expression)))
    });
    format!(
        r#"# Sends the lines of {source} to the ingest pipeline {index}. {sentence}
# Made by `timberline configs`. This file was not run; `rsyslogd -N1 -f rsyslog.conf` checks it. Needs rsyslog 8.2204 or
# later with rsyslog-elasticsearch. Set the address of the cluster, and of certificates and credentials.
global(workDirectory="/var/spool/rsyslog")
module(load="imfile")
module(load="omelasticsearch")
# Counters of queues and of what was sent: full queues and failures show here first.
module(load="impstats" interval="60" format="json" log.syslog="off" log.file="/var/log/rsyslog-stats.log")

input(type="imfile" File="{path}" Tag="{tag}" ruleset="to-{index}" addMetadata="on"{start})

template(name="{index}-document" type="list" option.jsonf="on") {{
  property(outname="@timestamp" name="timereported" dateFormat="rfc3339" format="jsonf")
  property(outname="message" name="msg" format="jsonf")
  property(outname="log.file.path" name="$!metadata!filename" format="jsonf")
  property(outname="host.name" name="hostname" format="jsonf")
}}

# Each line has an id, so that one that is sent again is not there twice.
template(name="{index}-id" type="string" string="%uuid%")

ruleset(name="to-{index}") {{
  action(type="omelasticsearch" name="to-{index}"
    server="127.0.0.1" serverport="9200" usehttps="off"
    searchIndex="{index}" searchType="" pipelineName="{index}" bulkmode="on" writeoperation="create" dynBulkId="on" bulkid="{index}-id"
    template="{index}-document" maxbytes="10m" errorFile="/var/log/rsyslog-{index}-errors.log"
    retryfailures="off" action.resumeRetryCount="-1" action.resumeInterval="10"
    # In memory until it is full, then on disk, and kept there when rsyslog ends.
    queue.type="LinkedList" queue.filename="{index}" queue.size="100000" queue.highWatermark="80000"
    queue.lowWatermark="20000" queue.maxDiskSpace="10g" queue.maxFileSize="64m" queue.saveOnShutdown="on"
    queue.dequeueBatchSize="2000" queue.workerThreads="2" queue.timeoutEnqueue="2000")
}}
"#,
        source = comment(&learned.source),
        sentence = comment(&learned.sentence()),
        path = clean(&learned.absolute_path()),
        tag = clean(
            &learned.source.chars().filter(|letter| !letter.is_whitespace()).take(32).collect::<String>()
        ),
    )
}

/// How the first time of lines is written, where all lines begin with one: others belong to the event before.
fn starts_with_time(learned: &Learned) -> Option<&'static str> {
    let LineReading::Lines(lines) = &learned.reading else { return None };
    let mut starts = lines.patterns.iter().map(|pattern| match pattern.steps.first() {
        Some(Step::Time(shape)) => Some(*shape),
        _ => None,
    });
    let first = starts.next()??;
    starts.all(|start| start == Some(first)).then(|| time_shape(first).expression)
}

fn posix(expression: &str) -> String {
    expression.replace(r"[ \d]", "[ 0-9]").replace(r"\d", "[0-9]").replace("(?:", "(")
}
