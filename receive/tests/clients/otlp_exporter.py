"""OpenTelemetry's own exporter of logs over HTTP, protobuf packed with gzip. Prints what the exports gave."""
import json
import sys

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import Resource

provider = LoggerProvider(resource=Resource.create({"service.name": "checkout", "host.name": "web-1"}))
exporter = OTLPLogExporter(endpoint=sys.argv[1] + "/v1/logs", compression=Compression.Gzip)
provider.add_log_record_processor(BatchLogRecordProcessor(exporter))
logger = provider.get_logger("orders", "1.2")
for n in range(1000):
    logger.emit(
        LogRecord(
            timestamp=1_772_373_900_000_000_000 + n * 1_000_000,
            severity_number=SeverityNumber.ERROR if n % 10 == 0 else SeverityNumber.INFO,
            severity_text="ERROR" if n % 10 == 0 else "INFO",
            body=f"order {n} failed" if n % 10 == 0 else f"order {n} paid",
            attributes={"order.id": n, "tags": ["a", "b"]},
        )
    )
print(json.dumps({"flushed": provider.force_flush()}))
provider.shutdown()
