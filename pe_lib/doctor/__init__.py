from pe_lib.doctor._diagnosis import Diagnosis, Finding
from pe_lib.doctor._identify import identify
__all__ = ["Diagnosis", "Finding", "identify"]
