//! Reads arbitrary bytes as Windows events in XML; the first byte chooses how they are cut.
#![no_main]

mod reading;

use ingest::Options;
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: write_seeds(), |bytes: &[u8]| {
    let [chunk_bytes, bytes @ ..] = bytes else { return };
    let options = Options { format: Some("windows_xml".to_string()), ..Options::default() };
    reading::check(bytes, &options, usize::from(*chunk_bytes) + 1);
});

const EVENTS: &str = r#"<?xml version="1.0" encoding="utf-8"?><Events>
<Event xmlns="http://schemas.microsoft.com/win/2004/08/events/event"><System><Provider Name="A-B" Guid="{1}"/>
<EventID Qualifiers="7">4624</EventID><Level>2</Level><Keywords>0x80</Keywords>
<TimeCreated SystemTime="2026-11-21T03:04:05.1234567Z"/><EventRecordID>9</EventRecordID>
<Execution ProcessID="1" ThreadID="2"/><Channel>Security</Channel><Computer>pc-1</Computer><Security UserID="S-1-5-18"/></System>
<EventData><Data Name="a">x &amp; &#121; <![CDATA[<z>]]></Data><Data>more</Data><Binary>00FF</Binary></EventData>
<UserData><c:Own xmlns:c="d"><e f='g'/></c:Own></UserData><RenderingInfo Culture="en-US"><Message>Up.
And running.</Message><Level>Information</Level></RenderingInfo></Event><!-- a --><Event/></Events>"#;

fn write_seeds() {
    reading::seed("events", &[&[40], EVENTS.as_bytes()]);
    reading::seed("lines", &[&[40], EVENTS.replace('\n', " ").replace("<Event ", "\n<Event ").as_bytes()]);
}
